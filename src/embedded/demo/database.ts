import { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Decision } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import type { Ask, Snapshot } from '../../model/snapshot.ts';
import { textAt } from '../api-server/json.ts';
import type { EmbeddedCluster } from '../cluster/cluster.ts';
import type { Recorded } from '../stand-in/record.ts';
import { recordIn, recordName } from '../stand-in/record.ts';
import { StandIn } from '../stand-in/stand-in.ts';
import type { ModelDatabase } from '../stand-in/store-database.ts';
import type { DatabasePlan } from './databases.ts';

/** The last decision about a database, and what it was made from. */
export interface Decided {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
}

export interface DemoDatabaseOptions {
  readonly plan: DatabasePlan;
  readonly clock: Clock;
  readonly random: Random;
  readonly onDecision: (database: DemoDatabase, decided: Decided) => void;
}

/** A database of the demo with its operator: what people want of it, what was decided last, and the model that knows what is so. */
export class DemoDatabase {
  readonly plan: DatabasePlan;
  readonly parts: ModelDatabase;
  /** What people want, until they want something else. */
  spec: ClusterSpec;
  readonly asks = new Map<string, Ask>();
  readonly #options: DemoDatabaseOptions;
  #decided: Decided | undefined;

  constructor(options: DemoDatabaseOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.spec = options.plan.spec;
    this.parts = options.plan.make(options.clock, options.random);
  }

  get name(): string {
    return this.plan.namespace;
  }

  get decided(): Decided | undefined {
    return this.#decided;
  }

  /** The operator of this database. Resolves when the signal is aborted. */
  operate(cluster: EmbeddedCluster, signal: AbortSignal): Promise<void> {
    const { clock, random, onDecision } = this.#options;
    const client = new KubeClient({
      transport: cluster.transport('system:serviceaccount:drover:drover'),
      clock,
      random,
      rateLimit: { perSecond: 1e6, burst: 1e6 },
    });
    const standIn = new StandIn({
      cluster: name(`${this.name}/${this.name}`),
      namespace: this.name,
      client,
      clock,
      random,
      engine: this.parts.engine,
      wishes: () => ({ spec: this.spec, asks: [...this.asks.values()] }),
      onDecision: (snapshot, decision) => {
        this.#decided = { snapshot, decision };
        onDecision(this, this.#decided);
      },
    });
    return standIn.run(signal);
  }

  /** What is on record in the API server. */
  recorded(cluster: EmbeddedCluster): Recorded {
    const stored = cluster.world.store.collection('configmaps').get(this.name, recordName);
    const text = stored === undefined ? '' : textAt(stored.object, 'data', 'record');
    return recordIn(text === '' ? undefined : text);
  }

  /** Every process that is wanted answers, and each quorum has its leader. */
  get isUp(): boolean {
    const { processes, quorums } = this.parts.model.whole();
    const wanted = this.spec.roles.reduce((sum, { count }) => sum + count, 0);
    const answering = processes.filter(({ responds }) => responds === true).length;
    return answering >= wanted && quorums.every(({ leader }) => typeof leader === 'string');
  }
}
