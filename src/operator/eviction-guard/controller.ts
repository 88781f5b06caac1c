import { evictionGuard } from '../../api/kinds.ts';
import { InvalidObjectError } from '../../api/parse.ts';
import { seconds, toTimestamp } from '../../kube/clock.ts';
import type { Next } from '../../kube/controller.ts';
import { after, done } from '../../kube/controller.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { Labels } from '../../kube/label-selection.ts';
import { selects } from '../../kube/label-selection.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText, parseKey } from '../../kube/object.ts';
import type { Controller, ControllerContext, ControllerDefinition } from '../controller.ts';
import { EngineRoom } from '../engine-room/engine-room.ts';
import { silenceNews } from '../engine-room/silence.ts';
import { Teller } from '../events/teller.ts';
import { BegunDrains } from '../lock/begun-drains.ts';
import { LockKeeper } from '../lock/lock-keeper.ts';
import { NodesOnDemand } from '../seen/nodes-on-demand.ts';
import { ConnectionKeeper } from '../stateful-cluster/connection-keeper.ts';
import { Notes } from '../status/notes.ts';
import { refusedStatus } from '../status/refused-status.ts';
import { writeStatus } from '../status/write-status.ts';
import { closeAll } from './close-all.ts';
import { deleteBindings } from './delete-bindings.ts';
import { DeleteKeeper } from './delete-keeper.ts';
import type { Guard } from './guard.ts';
import { lockOwnerOf, readGuard } from './guard.ts';
import type { GuardJudgement } from './guard-conditions.ts';
import { guardStatusOf, saidInGuard, sameGuardStatus } from './guard-status.ts';
import type { Member } from './members.ts';
import { membersOf, staffedRoles } from './members.ts';
import { besideAnother, selectedTwice } from './overlap.ts';
import type { NamespaceSeen } from './pods-on-demand.ts';
import { PodsOnDemand } from './pods-on-demand.ts';
import { permissions } from './rbac.ts';
import type { Made, RoundParts } from './round.ts';
import { guardOf, round } from './round.ts';
import { sourcesForGuards } from './sources-for-guards.ts';
import type { GuardView } from './view.ts';
import { evictionGuards, viewCodec } from './view.ts';

/** Locks the pods of EvictionGuards, which others own, and lets them go one at a time as the core decides. Never makes or deletes one. */
export const evictionGuardController: ControllerDefinition = {
  name: 'eviction-guard',
  permissions,
  // Each may wait a minute for an engine that hangs: fewer of these than workers hold up nobody else.
  workers: 32,
  create: (context) => new EvictionGuardController(context),
};

/** So soon a namespace is looked at again that has not been read yet; its pods are heard of before. */
const untilRead = seconds(1);
/** Changes of budgets are heard; this is the net. */
const whileAside = seconds(30);

class EvictionGuardController implements Controller {
  readonly #context: ControllerContext;
  readonly #guards: Informer<GuardView, 'namespace'>;
  readonly #pods: PodsOnDemand;
  readonly #nodes: NodesOnDemand;
  readonly #parts: RoundParts;
  readonly #teller: Teller;
  readonly #deletes: DeleteKeeper;
  readonly #locks: LockKeeper;
  readonly #drains: BegunDrains;
  readonly informers: readonly Readable[];
  #hear: ((key: KeyText) => void) | undefined;

  constructor(context: ControllerContext) {
    const { informer, client, clock, engines } = context;
    this.#context = context;
    this.#guards = informer<GuardView, 'namespace'>({
      resource: evictionGuards,
      codec: viewCodec,
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: { namespace: ({ namespace }) => [namespace] },
    });
    this.#pods = new PodsOnDemand(context, (namespace, { labels }) => this.#hearPod(namespace, labels));
    this.#nodes = new NodesOnDemand(context, () => this.#hearAll());
    this.#teller = new Teller(context);
    this.#deletes = new DeleteKeeper(client);
    this.#locks = new LockKeeper(context);
    this.#drains = new BegunDrains(context);
    this.#parts = {
      context,
      drains: this.#drains,
      nodes: this.#nodes,
      engines: new EngineRoom(sourcesForGuards(engines), clock),
      connections: new ConnectionKeeper(client),
      notes: new Notes(),
      record: (guard, made, signal) => this.#record(guard, made, signal),
    };
    this.informers = [this.#guards, ...this.#locks.informers, this.#drains.informer];
  }

  watch(add: (key: KeyText) => void): () => void {
    this.#hear = add;
    const stopLocks = this.#locks.subscribe('EvictionGuard', {
      namespace: (namespace) => this.#hearAll(namespace),
      owner: add,
    });
    const stopDrains = this.#drains.subscribe(() => this.#hearAll());
    const leaveDesk = this.#context.desk.attend('EvictionGuard', add);
    const stopGuards = this.#guards.cache.subscribe({
      added: ({ key }) => {
        this.#context.desk.expect(guardOf({ key }));
        add(key);
      },
      updated: (now, before) => {
        if (now.asked !== before.asked) add(now.key);
      },
      deleted: ({ key }) => add(key),
    });
    return () => {
      this.#hear = undefined;
      this.#nodes.stop();
      this.#pods.stop();
      stopLocks();
      stopDrains();
      leaveDesk();
      stopGuards();
    };
  }

  readonly reconcile = async (key: KeyText, signal: AbortSignal): Promise<Next> => {
    const object = await this.#context.client.find(evictionGuards, parseKey(key), { signal });
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      await this.#leave(key, signal);
      if (object !== undefined) await this.#deletes.keep(object, [], signal);
      return done;
    }
    const guard = await this.#valid(object, signal);
    if (guard === undefined) return done;
    const seen = this.#pods.seen(guard.namespace);
    // What has not been read is not empty.
    return after(seen === undefined ? untilRead : await this.#tend(object, guard, seen, signal));
  };

  async #tend(object: KubeObject, guard: Guard, seen: NamespaceSeen, signal: AbortSignal) {
    const members = membersOf(guard.spec, seen);
    const labels = members.map(({ view }) => view.labels);
    const kept = await this.#locks.keep(lockOwnerOf(guard), staffedRoles(guard, members), labels, signal);
    const lock = kept.is === 'locked' ? (selectedTwice(members) ?? kept) : kept;
    if (lock.is === 'overlapping') {
      await this.#deletes.keep(object, [], signal);
      await this.#stepAside(guard, members, lock, signal);
      return whileAside;
    }
    await this.#deletes.keep(object, deleteBindings(guard), signal);
    return round(this.#parts, { guard, members, seen, lock }, signal);
  }

  /** Whoever has the pods looks after them: nothing of this guard is decided or answered. */
  async #stepAside(
    guard: Guard,
    members: readonly Member[],
    lock: Parameters<typeof besideAnother>[2],
    signal: AbortSignal,
  ) {
    this.#context.desk.withdraw(guardOf(guard));
    const now = toTimestamp(this.#context.clock.now());
    const status = besideAnother(guard, members.length, lock, now);
    if (!sameGuardStatus(status, guard.status)) await this.#write(guard, status, signal);
  }

  /** The guard, where its spec keeps the present rules. One that does not stays locked as it is, and says which field is wrong. */
  async #valid(object: KubeObject, signal: AbortSignal): Promise<Guard | undefined> {
    try {
      return readGuard(object);
    } catch (error) {
      if (!(error instanceof InvalidObjectError)) throw error;
      const why: GuardJudgement<'Healthy'> = {
        type: 'Healthy',
        status: 'False',
        reason: 'InvalidSpec',
        message: error.message,
      };
      const status = refusedStatus(evictionGuard, object, why, toTimestamp(this.#context.clock.now()));
      if (status !== undefined) {
        await this.#write(object.metadata, status, signal);
        const { namespace = '', name, uid = '' } = object.metadata;
        this.#teller.refuse(lockOwnerOf({ namespace, name, uid }), why);
      }
      this.#context.desk.passOver(guardOf({ key: keyText(object.metadata) }));
      return undefined;
    }
  }

  /** The status is written before anything is done, onto the very version that the decision was made about, and only where it says something new. */
  async #record(guard: Guard, made: Made, signal: AbortSignal): Promise<void> {
    const status = guardStatusOf({ guard, ...made, asks: made.asking.rows });
    if (!sameGuardStatus(status, guard.status)) await this.#write(guard, status, signal);
    this.#parts.notes.forget(guard.key);
    const { conditions, observedAt: upSince } = guard.status;
    const news = silenceNews({ conditions, upSince }, status, 'Healthy');
    this.#teller.tell(lockOwnerOf(guard), made.decision, news, () => saidInGuard(guard.status));
  }

  #write(
    object: Pick<KubeObject['metadata'], 'namespace' | 'name' | 'resourceVersion' | 'uid'>,
    status: object,
    signal: AbortSignal,
  ): Promise<void> {
    return writeStatus(this.#context.client, evictionGuards, object, status, signal);
  }

  /** The guard is gone, or going: its pods are unlocked, and nothing of it is left behind. */
  async #leave(key: KeyText, signal: AbortSignal): Promise<void> {
    const { engines, connections, notes } = this.#parts;
    const { namespace = '' } = parseKey(key);
    const guarded = this.#context.desk.podsOf(guardOf({ key }));
    engines.leave(key);
    connections.leave(key);
    notes.forget(key);
    this.#context.desk.withdraw(guardOf({ key }));
    this.#teller.forget(key);
    await closeAll(this.#context, namespace, guarded, this.#pods.seen(namespace), signal);
    await this.#locks.release('EvictionGuard', key, signal);
    await this.#locks.leave('EvictionGuard', key, signal);
    if (this.#guards.cache.find('namespace', namespace).every((one) => one.key === key)) this.#pods.leave(namespace);
  }

  #hearPod(namespace: string, labels: Labels): void {
    for (const { key, selectors } of this.#guards.cache.find('namespace', namespace)) {
      if (selectors.some((selector) => selects(selector, labels))) this.#hear?.(key);
    }
  }

  /** All guards, or those of a namespace, are to be looked at. */
  #hearAll(namespace?: string): void {
    const all = namespace === undefined ? this.#guards.cache.values() : this.#guards.cache.find('namespace', namespace);
    for (const { key } of all) this.#hear?.(key);
  }
}
