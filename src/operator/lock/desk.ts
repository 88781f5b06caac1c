import type { Clock, Millis, MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, minutes, seconds } from '../../kube/clock.ts';
import type { KeyText } from '../../kube/object.ts';
import type { Decision } from '../../model/decision.ts';
import type { ProcessGroupId, Uid } from '../../model/ids.ts';
import type { Pod } from '../../model/process-group.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { AskRow } from './ask-row.ts';
import type { LockOwner } from './lock-owner.ts';
import { shortKinds } from './lock-owner.ts';

/** A guarded pod, as it was when its owner last decided. */
export interface GuardedPod {
  readonly group: ProcessGroupId;
  readonly pod: Pod;
  /** False: its role may always go, and is left out of the lock. */
  readonly locked: boolean;
}

/** What an owner last decided about its pods. */
export interface Published {
  readonly decision: Decision;
  /** By their names. */
  readonly pods: ReadonlyMap<string, GuardedPod>;
  /** Who wants which of them gone, and who was let go lately. */
  readonly asks: readonly AskRow[];
  /** Nodes that are known to be leaving: what runs there is still to go. */
  readonly leaving: ReadonlySet<string>;
}

/** Someone asked for a pod in this process. */
export interface HeardAsk {
  readonly pod: Uid;
  readonly by: string;
  readonly since: Instant;
  readonly lastSeen: Instant;
  /** 0: only one of two ways in which one request comes was heard so far. */
  readonly times: number;
}

/** How a caller who waits for a grant is answered. */
export type Passage = 'open' | 'held';

export type GuardKey = `${LockOwner['kind']} ${KeyText}`;

interface Entry {
  readonly published: Published;
  readonly at: MonotonicMillis;
}

/** So long whoever has just begun may be taken to be reading; what takes longer is stuck, and must not hold up what nobody guards. */
const newFor = seconds(30);
/** Who has not asked for so long has given up. */
const forgottenAfter = minutes(10);

/**
 * Where those who ask for pods and those who decide about them meet: controllers lay down what they decided, the webhook lays down who asks, and
 * each finds what the other left. In memory alone: what must outlive the process is in the status.
 */
export class Desk {
  readonly #clock: Clock;
  readonly #entries = new Map<GuardKey, Entry>();
  /** Those that are there and that nothing was decided about yet. */
  readonly #expected = new Set<GuardKey>();
  readonly #asks = new Map<GuardKey, Map<string, HeardAsk>>();
  readonly #waiting = new Map<Uid, Set<(passage: Passage) => void>>();
  readonly #evicted = new Set<Uid>();
  readonly #hear = new Map<LockOwner['kind'], (key: KeyText) => void>();

  /** Since when it is there, or decided at. */
  #since: MonotonicMillis;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Whether somebody here decides: only the leader does. */
  get isAttended(): boolean {
    return this.#hear.size > 0;
  }

  /** A controller begins to decide, and is told whose pods are asked for. Call the result when it ends. */
  attend(kind: LockOwner['kind'], hear: (key: KeyText) => void): () => void {
    this.#hear.set(kind, hear);
    this.#since = this.#clock.monotonic();
    return () => {
      this.#hear.delete(kind);
      const known = [...this.#entries.keys(), ...this.#asks.keys(), ...this.#expected];
      for (const guard of known) if (kindOf(guard) === kind) this.withdraw(guard);
    };
  }

  /** Whether this process has begun, or begun to decide, only just now. */
  get isNew(): boolean {
    return elapsed(this.#clock, this.#since) < newFor;
  }

  /** An owner is there: until it was decided about, nobody knows which pods are its. */
  expect(guard: GuardKey): void {
    if (!this.#entries.has(guard)) this.#expected.add(guard);
  }

  /** Nothing will be decided about the pods of an owner, for as long as it is as it is. */
  passOver(guard: GuardKey): void {
    this.#expected.delete(guard);
  }

  /** Whether every owner in a namespace has been decided about here, so that a pod that nobody is known to guard is not guarded. */
  hasRead(namespace: string): boolean {
    const isWhole = this.#hear.size === Object.keys(shortKinds).length;
    return isWhole && ![...this.#expected].some((guard) => namespaceOf(guard) === namespace);
  }

  /** What was decided, once it is on record. */
  publish(guard: GuardKey, published: Published): void {
    this.#expected.delete(guard);
    this.#entries.set(guard, { published, at: this.#clock.monotonic() });
  }

  /** Everything that was decided about these is done: who waits for one of them and was not let through has to wait. */
  conclude(considered: readonly HeardAsk[]): void {
    for (const { pod } of considered) this.#settle(pod, 'held');
  }

  withdraw(guard: GuardKey): void {
    this.#entries.delete(guard);
    this.#expected.delete(guard);
    this.#asks.delete(guard);
  }

  /** The names of the pods that were last decided about. */
  podsOf(guard: GuardKey): ReadonlySet<string> {
    return new Set(this.#entries.get(guard)?.published.pods.keys());
  }

  /** Who guards a pod and what was last decided about it; undefined: nobody is known to. */
  find(namespace: string, name: string): (Found & { readonly age: Millis }) | undefined {
    for (const [guard, { published, at }] of this.#entries) {
      if (namespaceOf(guard) !== namespace) continue;
      const guarded = published.pods.get(name);
      if (guarded !== undefined) return { guard, published, guarded, age: elapsed(this.#clock, at) };
    }
    return undefined;
  }

  /** Someone wants a pod gone. `again`: the same request has come another way too, and counts once. */
  ask(guard: GuardKey, pod: Uid, by: string, again = false): void {
    const now = instant(this.#clock.now());
    const asks = this.#asks.get(guard) ?? new Map<string, HeardAsk>();
    this.#asks.set(guard, asks);
    const known = asks.get(`${pod} ${by}`);
    asks.set(`${pod} ${by}`, {
      pod,
      by,
      since: known?.since ?? now,
      lastSeen: now,
      times: (known?.times ?? 0) + (again ? 0 : 1),
    });
    if (known === undefined) this.stir(guard);
  }

  /** Who asked in this process and has not given up. */
  asksFor(guard: GuardKey): readonly HeardAsk[] {
    const asks = this.#asks.get(guard);
    if (asks === undefined) return [];
    const now = this.#clock.now();
    for (const [key, { lastSeen }] of asks) if (now - lastSeen >= forgottenAfter) asks.delete(key);
    if (asks.size === 0) this.#asks.delete(guard);
    return [...asks.values()];
  }

  /** These are on record now, or were taken back: who asks again asks anew. */
  forget(guard: GuardKey, done: readonly HeardAsk[]): void {
    const asks = this.#asks.get(guard);
    for (const ask of done) {
      const key = `${ask.pod} ${ask.by}`;
      if (asks?.get(key) === ask) asks.delete(key);
    }
    if (asks?.size === 0) this.#asks.delete(guard);
  }

  /** The owner is to look again, now. */
  stir(guard: GuardKey): void {
    this.#hear.get(kindOf(guard))?.(keyIn(guard));
  }

  /** Resolves with what the owner decides about a pod; rejects with the signal's reason. Ask first. */
  passage(pod: Uid, signal: AbortSignal): Promise<Passage> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const waiting = this.#waiting.get(pod) ?? new Set();
      this.#waiting.set(pod, waiting);
      const settle = (passage: Passage) => {
        signal.removeEventListener('abort', giveUp);
        resolve(passage);
      };
      const giveUp = () => {
        waiting.delete(settle);
        if (waiting.size === 0 && this.#waiting.get(pod) === waiting) this.#waiting.delete(pod);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(settle);
    });
  }

  /** The lock is open for a pod. True: someone waited for that and evicts it now. */
  letPass(pod: Uid): boolean {
    return this.#settle(pod, 'open');
  }

  /** Drover itself evicts a pod that it has let go. Call the result when that is answered. */
  evicts(pod: Uid): () => void {
    this.#evicted.add(pod);
    return () => void this.#evicted.delete(pod);
  }

  isEvicting(pod: Uid): boolean {
    return this.#evicted.has(pod);
  }

  #settle(pod: Uid, passage: Passage): boolean {
    const waiting = this.#waiting.get(pod);
    this.#waiting.delete(pod);
    for (const settle of waiting ?? []) settle(passage);
    return waiting !== undefined && waiting.size > 0;
  }
}

export interface Found {
  readonly guard: GuardKey;
  readonly published: Published;
  readonly guarded: GuardedPod;
}

export const guardKey = (kind: LockOwner['kind'], key: KeyText): GuardKey => `${kind} ${key}`;

const kindOf = (guard: GuardKey): LockOwner['kind'] =>
  guard.startsWith('StatefulCluster ') ? 'StatefulCluster' : 'EvictionGuard';

const keyIn = (guard: GuardKey): KeyText => guard.slice(guard.indexOf(' ') + 1);

const namespaceOf = (guard: GuardKey): string => keyIn(guard).split('/', 1)[0] ?? '';
