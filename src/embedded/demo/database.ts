import { group } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import type { ProcessGroupStatus } from '../../api/v1alpha1/process-group.schema.ts';
import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { name } from '../../model/ids.ts';
import type { Topology } from '../../model/topology.ts';
import type { JsonObject } from '../api-server/json.ts';
import { at, numberAt } from '../api-server/json.ts';
import type { EmbeddedCluster } from '../cluster/cluster.ts';
import { rememberedView } from '../cluster/remembered-view.ts';
import type { ModelEngine } from '../engines/model-engine.ts';
import type { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import type { FoundationDBDatabases } from '../operated/foundationdb-databases.ts';
import type { StoreDatabases } from '../operated/store-databases.ts';
import type { DatabasePlan } from './databases.ts';
import type { HeldData } from './held-data.ts';
import { foundationdbData, storeData } from './held-data.ts';

/** Where the API server keeps StatefulClusters. */
const stored = `${statefulCluster.plural}.${group}`;

const statusOf = rememberedView(
  (object: JsonObject): StatefulClusterStatus => statefulCluster.status.parse(at(object, 'status') ?? {}),
);

/** A database of the demo: what the API server has on record about it, and the model that knows what is so. */
export class DemoDatabase {
  readonly plan: DatabasePlan;
  readonly model: ModelEngine;
  readonly data: HeldData;
  readonly #store: ReplicatedStore | undefined;
  readonly #cluster: EmbeddedCluster;

  constructor(plan: DatabasePlan, cluster: EmbeddedCluster, models: Models) {
    this.plan = plan;
    this.#cluster = cluster;
    const key = `${plan.name}/${plan.name}`;
    if (plan.played.model === 'store') {
      this.#store = models.stores.of(key);
      this.model = this.#store;
      this.data = storeData(this.#store);
    } else {
      const database = models.foundationdb.of(key);
      this.model = database;
      this.data = foundationdbData(database);
    }
  }

  /** Of its namespace and of its StatefulCluster. */
  get name(): string {
    return this.plan.name;
  }

  /** The StatefulCluster's status, as anybody can read it. */
  status(): StatefulClusterStatus {
    return statusOf(this.#object);
  }

  row(id: string): ProcessGroupStatus | undefined {
    return this.status().processGroups.find(({ processGroupID }) => processGroupID === id);
  }

  /** The first data comes in. A FoundationDB is made with its data. */
  fill(): void {
    const { played } = this.plan;
    if (played.model !== 'store') return;
    for (let shard = 1; shard <= played.shards; shard++) this.#store?.createShard(name(`s${shard}`), played.shardBytes);
  }

  /** Drover has seen the spec as it is, everything that it asks for is up, nothing leaves, and nothing is the matter with anything. */
  get isUp(): boolean {
    const { counts, processGroups, grants, observedGeneration } = this.status();
    if (observedGeneration !== numberAt(this.#object, 'metadata', 'generation')) return false;
    const isWhole = counts.desired > 0 && counts.current === counts.desired && counts.available === counts.desired;
    return isWhole && counts.leaving === 0 && grants.length === 0 && processGroups.every(isAtRest);
  }

  get #object(): JsonObject {
    return this.#cluster.world.store.collection(stored).get(this.name, this.name)?.object ?? nothing;
  }

  /** It is up, every copy is there and none too many, and the engine is to move nothing away. */
  get isCalm(): boolean {
    return this.isUp && isSettled(this.model.whole(), this.plan);
  }
}

export interface Models {
  readonly foundationdb: FoundationDBDatabases;
  readonly stores: StoreDatabases;
}

const nothing: JsonObject = {};

const isAtRest = ({ removalTimestamp, evacuationTimestamp, conditions }: ProcessGroupStatus): boolean =>
  removalTimestamp === null && evacuationTimestamp === null && conditions.length === 0;

function isSettled({ processes, units, health }: Topology, { played }: DatabasePlan): boolean {
  const copies = played.model === 'store' ? played.store.replicationFactor : undefined;
  return (
    health.fullyReplicated === true &&
    processes.every(({ excluded, responds }) => excluded === false && responds === true) &&
    units.every(({ replicas }) => {
      const healthy = replicas.filter(({ state, inSync, doomed }) => state === 'healthy' && inSync === true && !doomed);
      return healthy.length === copies && replicas.length === copies;
    })
  );
}
