import { isDeepStrictEqual } from 'node:util';
import type { Reservation } from '../../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { decide } from '../../../decide.ts';
import type { KeyText } from '../../../kube/object.ts';
import { parseKey } from '../../../kube/object.ts';
import type { Decision } from '../../../model/decision.ts';
import type { RoomRequest } from '../../../model/fleet.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { Share, Snapshot } from '../../../model/snapshot.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import { applyRecords } from '../../../plan/apply-records.ts';
import { roomWanted } from '../../../plan/room-wanted.ts';
import type { ControllerContext } from '../../controller.ts';
import type { Cluster } from '../cluster.ts';
import type { StatefulClusterView } from '../view.ts';
import type { QuotaView } from './quota.ts';
import { QuotasOnDemand } from './quotas-on-demand.ts';
import { hasRoom, RoomBook } from './room-book.ts';
import { heldIn, Rations, reservationsOf } from './room-held.ts';

/** What was decided, from what, and what it leads to. */
export interface Decided {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  /** The snapshot once everything is recorded. */
  readonly after: Snapshot;
  readonly reservations: readonly Reservation[];
}

export interface TurnsOptions {
  readonly context: Pick<ControllerContext, 'informer' | 'clock'>;
  /** Is told of a cluster whose turn it is now. */
  readonly hear: (key: KeyText) => void;
  /** The clusters of a namespace, as they are on record. */
  readonly clustersIn: (namespace: string) => readonly Pick<StatefulClusterView, 'key' | 'reservations'>[];
}

/**
 * Lets the clusters of a namespace take turns on its quotas: each decides within its share, and whoever room came free for is told. A
 * namespace without quotas costs nothing.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #quotas: QuotasOnDemand;
  readonly #book = new RoomBook();

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#quotas = new QuotasOnDemand(options.context, (namespace) => this.#wake(namespace));
  }

  /** Whether a decision may depend on quotas, and was made without knowing them. */
  isBlindTo({ after }: Decided): boolean {
    return !this.#quotas.isTold && after.processGroups.some((group) => group.removal !== null || lacksSomething(group));
  }

  /** Resolves when quotas are known, or known to be unreadable. */
  look(signal: AbortSignal): Promise<void> {
    return this.#quotas.read(signal);
  }

  /** Decides about a cluster within its share, and notes at once what it takes: others decide at the same time. */
  decide(cluster: Cluster, snapshot: Snapshot): Decided {
    const rationed = this.#quotas.isTold ? this.#quotas.in(cluster.namespace) : [];
    if (typeof rationed !== 'string' && rationed.length > 0) return this.#within(rationed, cluster, snapshot);
    this.#book.forget(cluster.key);
    const share: Share = { ...snapshot.share, ...(typeof rationed === 'string' && { unread: rationed }) };
    return { ...decided({ ...snapshot, share }), reservations: [] };
  }

  /** It is gone. */
  leave(key: KeyText): void {
    if (this.#book.forget(key)) this.#wake(parseKey(key).namespace ?? '');
  }

  stop(): void {
    this.#quotas.stop();
  }

  #within(quotas: readonly QuotaView[], cluster: Cluster, snapshot: Snapshot): Decided {
    const { key, namespace } = cluster;
    const { now } = snapshot;
    const rations = new Rations(cluster, new Set(quotas.flatMap(({ pool }) => Object.keys(pool.capacity))));
    const before = this.#book.of(key);
    const unrationed = decided(snapshot);
    const successors = roomWanted(snapshot, unrationed.decision.records);
    const wanted = rations.wanted(successors, snapshot);
    const served = snapshot.processGroups.filter(({ id }) => !successors.some((one) => one.id === id));
    const inUse = rations.inUse(served, snapshot);
    this.#book.note(key, namespace, { held: rations.held(snapshot), wanted, inUse }, now);

    const share = this.#shares(namespace, quotas, now).get(key);
    const isShort = share !== undefined && share.quota !== null;
    const made = isShort ? decided({ ...snapshot, share }) : unrationed;
    const held = rations.held(made.after);
    const waiting = isShort ? wanted.filter(({ group }) => !hasRoom(group, share)) : [];
    this.#book.note(key, namespace, { held, wanted: waiting, inUse }, now);
    if (!isDeepStrictEqual(before, this.#book.of(key))) this.#wake(namespace, key);
    return { ...made, reservations: reservationsOf(held) };
  }

  #shares(namespace: string, quotas: readonly QuotaView[], now: Instant): ReadonlyMap<string, Share> {
    const clusters = this.#options.clustersIn(namespace);
    const recorded = new Map<KeyText, readonly RoomRequest[]>(
      clusters.map(({ key, reservations }) => [key, heldIn(reservations)]),
    );
    const pools = quotas.map(({ pool }) => pool);
    return this.#book.shares(namespace, pools, recorded, now);
  }

  /** Whoever waits and would get room now is looked at again. Where nothing is rationed any more, that is everyone. */
  #wake(namespace: string, except?: KeyText): void {
    const waiting = this.#book.waiting(namespace).filter((key) => key !== except);
    if (waiting.length === 0) return;
    const rationed = this.#quotas.in(namespace);
    const isFree = typeof rationed === 'string' || rationed.length === 0;
    const shares = isFree ? undefined : this.#shares(namespace, rationed, instant(this.#options.context.clock.now()));
    for (const key of waiting) {
      if (shares === undefined || this.#book.getsSome(key, shares.get(key))) this.#options.hear(key);
    }
  }
}

function decided(snapshot: Snapshot): Omit<Decided, 'reservations'> {
  const decision = decide(snapshot);
  return { snapshot, decision, after: applyRecords(snapshot, decision.records) };
}

const lacksSomething = ({ pod, claim, service }: ProcessGroup): boolean =>
  pod === null || claim === null || service === null;
