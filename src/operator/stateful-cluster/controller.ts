import { statefulCluster } from '../../api/kinds.ts';
import { toTimestamp } from '../../kube/clock.ts';
import type { Next } from '../../kube/controller.ts';
import { after, done } from '../../kube/controller.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import type { Controller, ControllerContext, ControllerDefinition } from '../controller.ts';
import { EngineRoom } from '../engine-room/engine-room.ts';
import { silenceNews } from '../engine-room/silence.ts';
import { Teller } from '../events/teller.ts';
import { BegunDrains } from '../lock/begun-drains.ts';
import { LockKeeper } from '../lock/lock-keeper.ts';
import { NodesOnDemand } from '../seen/nodes-on-demand.ts';
import { Notes } from '../status/notes.ts';
import { refusedStatus } from '../status/refused-status.ts';
import { writeStatus } from '../status/write-status.ts';
import type { Cluster } from './cluster.ts';
import { ClusterMemory } from './cluster-memory.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import { DetectorKeeper } from './detector-keeper.ts';
import { Turns } from './fleet/turns.ts';
import { labelsToCome, lockOwnerOf, staffedRoles } from './locked-roles.ts';
import { Objects } from './objects.ts';
import { OwnDeletes } from './own-deletes.ts';
import { permissions } from './rbac.ts';
import { acceptedOrRefused } from './refusal.ts';
import { RefusedObjects } from './refused-objects.ts';
import type { Made, RoundParts } from './round.ts';
import { guardOf, round } from './round.ts';
import { saidBefore } from './said-before.ts';
import { sameStatus, statusOf } from './status.ts';
import type { StatefulClusterView } from './view.ts';
import { statefulClusters, viewCodec } from './view.ts';

/** Makes, replaces and removes the process groups of StatefulClusters, as the core decides. */
export const statefulClusterController: ControllerDefinition = {
  name: 'stateful-cluster',
  permissions,
  // Each may wait a minute for an engine that hangs: fewer of these than workers hold up nobody else.
  workers: 32,
  create: (context) => new StatefulClusterController(context),
};

type Identity = Pick<KubeObject['metadata'], 'namespace' | 'name' | 'resourceVersion' | 'uid'>;

class StatefulClusterController implements Controller {
  readonly #context: ControllerContext;
  readonly #clusters: Informer<StatefulClusterView, 'namespace'>;
  readonly #memory = new ClusterMemory();
  readonly #objects: Objects;
  readonly #nodes: NodesOnDemand;
  readonly #parts: RoundParts;
  readonly #teller: Teller;
  readonly #detectors: DetectorKeeper;
  readonly #locks: LockKeeper;
  readonly #drains: BegunDrains;
  readonly informers: readonly Readable[];
  #hear: ((key: KeyText) => void) | undefined;

  constructor(context: ControllerContext) {
    const { informer, client, clock, engines } = context;
    this.#context = context;
    this.#clusters = informer<StatefulClusterView, 'namespace'>({
      resource: statefulClusters,
      codec: viewCodec,
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: { namespace: ({ namespace }) => [namespace] },
    });
    this.#objects = new Objects(context);
    this.#nodes = new NodesOnDemand(context, () => this.#hearAll());
    this.#teller = new Teller(context);
    this.#detectors = new DetectorKeeper(context);
    this.#locks = new LockKeeper(context);
    this.#drains = new BegunDrains(context);
    this.#parts = {
      context,
      objects: this.#objects,
      drains: this.#drains,
      nodes: this.#nodes,
      engines: new EngineRoom(engines, clock),
      connections: new ConnectionKeeper(client),
      notes: new Notes(),
      refused: new RefusedObjects(),
      deletes: new OwnDeletes(clock),
      turns: new Turns({
        context,
        hear: (key) => this.#hear?.(key),
        clustersIn: (namespace) => this.#clusters.cache.find('namespace', namespace),
      }),
      record: (cluster, made, signal) => this.#record(cluster, made, signal),
    };
    this.informers = [
      this.#clusters,
      ...this.#objects.informers,
      this.#detectors.informer,
      ...this.#locks.informers,
      this.#drains.informer,
    ];
  }

  watch(add: (key: KeyText) => void): () => void {
    this.#hear = add;
    const stopObjects = this.#objects.subscribe(add);
    const stopDetectors = this.#detectors.subscribe(add);
    const stopLocks = this.#locks.subscribe('StatefulCluster', {
      namespace: (namespace) => this.#hearAll(namespace),
      owner: add,
    });
    const stopDrains = this.#drains.subscribe(() => this.#hearAll());
    const leaveDesk = this.#context.desk.attend('StatefulCluster', add);
    const stopClusters = this.#clusters.cache.subscribe({
      added: ({ key }) => {
        this.#context.desk.expect(guardOf({ key }));
        add(key);
      },
      // What Drover wrote into the status itself is no news.
      updated: (now, before) => {
        if (now.generation !== before.generation || now.annotations !== before.annotations) add(now.key);
      },
      deleted: ({ key }) => add(key),
    });
    return () => {
      this.#hear = undefined;
      this.#nodes.stop();
      this.#parts.turns.stop();
      stopObjects();
      stopDetectors();
      stopLocks();
      stopDrains();
      leaveDesk();
      stopClusters();
    };
  }

  readonly reconcile = async (key: KeyText, signal: AbortSignal): Promise<Next> => {
    const last = this.#memory.answerOf(key);
    const object = await this.#context.client.find(statefulClusters, parseKey(key), { signal, last });
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      this.#leave(key);
      await this.#detectors.leave(key, signal);
      await this.#locks.leave('StatefulCluster', key, signal);
      return done;
    }
    const { engines, clock } = this.#context;
    const answer = acceptedOrRefused(
      () => this.#memory.read(object),
      (type) => engines[type] !== undefined,
    );
    if ('refusal' in answer) {
      const status = refusedStatus(statefulCluster, object, answer.refusal, toTimestamp(clock.now()));
      if (status !== undefined) {
        await this.#write(object.metadata, status, signal);
        const { namespace = '', name, uid = '' } = object.metadata;
        this.#teller.refuse(lockOwnerOf({ namespace, name, uid }), answer.refusal);
      }
      this.#context.desk.passOver(guardOf({ key }));
      return done;
    }
    const { cluster } = answer;
    await this.#detectors.keep(cluster, signal);
    // Before any pod of it is there; the first pods of a role whose lock could not be made wait for it.
    const labels = [...this.#objects.podsOf(cluster).map((pod) => pod.labels), ...labelsToCome(cluster)];
    const lock = await this.#locks.keep(lockOwnerOf(cluster), staffedRoles(cluster), labels, signal);
    return after(await round(this.#parts, cluster, lock, signal));
  };

  /** The status is written before anything is done, onto the very version that the decision was made about, and only where it says something new. */
  async #record(cluster: Cluster, made: Made, signal: AbortSignal): Promise<void> {
    const status = statusOf({ cluster, ...made, asks: made.asking.rows });
    if (!sameStatus(status, cluster.status)) await this.#write(cluster, status, signal);
    this.#parts.notes.forget(cluster.key);
    const { conditions, bootstrapTimestamp: upSince } = cluster.status;
    const news = silenceNews({ conditions, upSince }, status, 'Ready');
    this.#teller.tell(lockOwnerOf(cluster), made.decision, news, () => saidBefore(cluster.status, made.decision));
  }

  #write(object: Identity, status: object, signal: AbortSignal): Promise<void> {
    return writeStatus(this.#context.client, statefulClusters, object, status, signal);
  }

  #leave(key: KeyText): void {
    this.#memory.leave(key);
    this.#parts.engines.leave(key);
    this.#parts.connections.leave(key);
    this.#parts.notes.forget(key);
    this.#parts.refused.leave(key);
    this.#parts.deletes.leave(key);
    this.#context.desk.withdraw(guardOf({ key }));
    this.#parts.turns.leave(key);
    this.#teller.forget(key);
  }

  /** All clusters, or those of a namespace, are to be looked at. */
  #hearAll(namespace?: string): void {
    for (const { key } of this.#clusters.cache.values()) {
      if (namespace === undefined || parseKey(key).namespace === namespace) this.#hear?.(key);
    }
  }
}
