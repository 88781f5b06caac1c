import { crdOf } from '../../api/crd.ts';
import { apiVersion } from '../../api/kind.ts';
import { kinds, statefulCluster } from '../../api/kinds.ts';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Clock } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import { KubeApiError } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Random } from '../../kube/random.ts';
import type { Resource } from '../../kube/resource.ts';
import { validatingWebhookConfigurations } from '../../kube/resources.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import type { Ask } from '../../model/snapshot.ts';
import type { Topology } from '../../model/topology.ts';
import { Desk } from '../../operator/lock/desk.ts';
import { webhookConfiguration } from '../../operator/manifests.ts';
import type { Cluster } from '../../operator/stateful-cluster/cluster.ts';
import { clusterSpecOf } from '../../operator/stateful-cluster/cluster-spec.ts';
import { objectNames } from '../../operator/stateful-cluster/marks.ts';
import { shapeOf } from '../../operator/stateful-cluster/pod-shape.ts';
import { readCluster } from '../../operator/stateful-cluster/read-cluster.ts';
import { recordedIn } from '../../operator/stateful-cluster/recorded.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import type { JsonObject } from '../api-server/json.ts';
import { at, numberAt, textAt } from '../api-server/json.ts';
import type { FdbOptions } from '../engines/foundationdb/fdb-options.ts';
import type { FoundationDB } from '../engines/foundationdb/foundationdb.ts';
import { callingWebhook } from '../operated/embedded-webhook.ts';
import { FoundationDBDatabases } from '../operated/foundationdb-databases.ts';
import { changed } from './foundationdb-changes.ts';
import { liveOperator } from './foundationdb-operator.ts';
import { outdated } from './foundationdb-outdated.ts';
import type { Change } from './happenings.ts';
import type { Deployment, Life, OnRecord, Place, Subject, Surroundings } from './subject.ts';
import { namespace } from './subject.ts';
import { keepsEveryQuorum, processesOf } from './survives.ts';

/** A FoundationDB that the operator's own controllers look after. */
export interface FoundationDBPlan {
  readonly engine: 'foundationdb';
  readonly spec: StatefulClusterSpecInput;
  readonly database: Partial<FdbOptions>;
}

/** The operator that lives at the moment, as far as its webhook can be called. */
interface Living {
  desk: Desk | undefined;
}

/** A FoundationDB that has no cluster yet. */
export function foundationdbDeployment(plan: FoundationDBPlan, clock: Clock, random: Random): Deployment {
  const databases = new FoundationDBDatabases({ clock, random, database: plan.database });
  const living: Living = { desk: undefined };
  return {
    hooks: databases.hooks,
    callWebhook: callingWebhook(clock, {
      living: () => (living.desk === undefined ? undefined : { desk: living.desk }),
    }),
    deploy: (place) => new FoundationDBSubject(plan, databases, living, place),
  };
}

const orders = { namespace, name: 'orders' };
const key = `${orders.namespace}/${orders.name}`;
const definitions: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
/** The database claims full replication until it has noticed that a server is silent; the world gives it twice that time. */
const noticedAfter = seconds(120);

class FoundationDBSubject implements Subject {
  readonly #plan: FoundationDBPlan;
  readonly #databases: FoundationDBDatabases;
  readonly #living: Living;
  readonly #place: Place;
  #read: { readonly object: JsonObject; readonly cluster: Cluster; readonly recorded: OnRecord } | undefined;
  /** Pods whose eviction was not answered yet, by their uids. */
  readonly #asking = new Set<string>();

  constructor(plan: FoundationDBPlan, databases: FoundationDBDatabases, living: Living, place: Place) {
    this.#plan = plan;
    this.#databases = databases;
    this.#living = living;
    this.#place = place;
  }

  get model(): FoundationDB {
    return this.#databases.of(key);
  }

  get spec(): ClusterSpec {
    const { cluster } = this.#stored();
    return clusterSpecOf(cluster.spec, (role) => shapeOf(cluster, role));
  }

  async prepare(): Promise<void> {
    const { people, signal } = this.#place;
    await people.create(validatingWebhookConfigurations, webhookConfiguration(), { signal });
    for (const kind of kinds) await people.create(definitions, crdOf(kind), { signal });
    const object: KubeObject & { readonly spec: object } = { metadata: orders, spec: this.#plan.spec };
    await people.create(statefulClusters, object, { signal });
  }

  fill(): void {
    // Its data comes with `configure new`.
  }

  live(surroundings: Surroundings, signal: AbortSignal): Life {
    const desk = new Desk(surroundings.clock);
    this.#living.desk = desk;
    signal.addEventListener('abort', () => {
      if (this.#living.desk === desk) this.#living.desk = undefined;
    });
    return liveOperator(surroundings, this.#databases.sourceBy(surroundings.clock), desk, signal);
  }

  recorded(): OnRecord {
    return this.#stored().recorded;
  }

  groupOf(kind: 'pod' | 'claim', object: string): string | undefined {
    const [before, after] = objectNames[kind](orders.name, name('\n')).split('\n');
    if (before === undefined || after === undefined) return undefined;
    if (!object.startsWith(before) || !object.endsWith(after)) return undefined;
    return object.slice(before.length, object.length - after.length);
  }

  podOf(group: string): string {
    return objectNames.pod(orders.name, name(group));
  }

  async change(wanted: Change): Promise<void> {
    await this.#patch(changed(this.#stored().cluster.spec, this.recorded().rows, wanted));
  }

  cancelNothing(): Promise<void> {
    return this.#patch({ cancelReplacementsForInstance: [] });
  }

  /** Answers are not waited for: whether a pod went is seen, and who was refused asks again. */
  ask(asks: readonly Ask[]): void {
    for (const { group, pod } of asks) {
      if (this.#asking.has(pod)) continue;
      this.#asking.add(pod);
      void this.#evict(group, pod).finally(() => this.#asking.delete(pod));
    }
  }

  async #evict(group: string, uid: string): Promise<void> {
    const { people, signal } = this.#place;
    try {
      await people.evict({ namespace, name: this.podOf(group) }, { signal, preconditions: { uid } });
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
    }
  }

  endures(topology: Topology, gone: ReadonlySet<string>): boolean {
    const { state } = this.model.parts();
    const { health, processes } = topology;
    const silentTooShort = this.#place.clock.monotonic() - noticedAfter;
    const isNews = state.table
      .all()
      .some(({ process, since }) => !state.responds(process.id) && since > silentTooShort);
    const zones = new Set(
      processes.flatMap(({ id, group, zone, responds }) => (responds === true && gone.has(group ?? id) ? [zone] : [])),
    );
    return (
      !isNews &&
      health.available === true &&
      health.fullyReplicated === true &&
      zones.size <= Number(health.zonesThatMayFail) &&
      keepsEveryQuorum(topology, processesOf(topology, gone))
    );
  }

  outdated(): string | undefined {
    return outdated(this.#object(), this.#place.cluster.world);
  }

  leftBehind(): string | undefined {
    const [unavailable] = this.model.truth().unavailable;
    if (unavailable !== undefined) return `${unavailable} cannot be read`;
    const [excluded] = this.model.parts().state.exclusions.list('excluded');
    return excluded === undefined ? undefined : `the engine still excludes ${excluded}`;
  }

  #object(): JsonObject {
    const { store } = this.#place.cluster.world;
    const stored = store.collection('statefulclusters.drover.dev').get(orders.namespace, orders.name);
    if (stored === undefined) throw new Error(`${key} is gone`);
    return stored.object;
  }

  /** Stored objects are never changed, so what was read of one stays true. */
  #stored(): { readonly cluster: Cluster; readonly recorded: OnRecord } {
    const object = this.#object();
    if (this.#read?.object === object) return this.#read;
    const cluster = readCluster(kubeObject(object));
    this.#read = { object, cluster, recorded: recordedIn(cluster.status) };
    return this.#read;
  }

  async #patch(spec: Partial<StatefulClusterSpecInput>): Promise<void> {
    const { people, signal } = this.#place;
    await people.patch(statefulClusters, orders, { type: 'merge', body: { spec } }, { signal });
  }
}

/** As much of a stored object as a StatefulCluster is read from. */
function kubeObject(stored: JsonObject): KubeObject {
  const generation = numberAt(stored, 'metadata', 'generation');
  const object: KubeObject & { readonly spec: unknown; readonly status: unknown } = {
    apiVersion,
    kind: statefulCluster.kind,
    metadata: {
      ...orders,
      uid: textAt(stored, 'metadata', 'uid'),
      resourceVersion: textAt(stored, 'metadata', 'resourceVersion'),
      ...(generation !== undefined && { generation }),
    },
    spec: at(stored, 'spec'),
    status: at(stored, 'status'),
  };
  return object;
}
