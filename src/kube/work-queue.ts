import type { Clock, Millis, MonotonicMillis, Timer } from './clock.ts';
import { elapsed, millis, monotonicMillis } from './clock.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { Fifo } from './fifo.ts';
import { harmlessly } from './harmlessly.ts';
import type { KeyText } from './object.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { defaultRateLimiter } from './rate-limiter.ts';
import type { RunningWork, WorkQueueMetrics } from './work-queue-metrics.ts';

export interface WorkQueueOptions<Key> {
  readonly clock: Clock;
  /** How long `addRateLimited` lets a key wait. @default client-go's: each key 5 ms to 1000 s, all together 10 a second after 100 */
  readonly rateLimiter?: RateLimiter<Key>;
  readonly metrics?: WorkQueueMetrics;
}

/** What becomes of keys that wait when the queue is shut down. */
export type Shutdown = 'finish' | 'drop';

/**
 * The line of keys that want attention, with the promises of client-go's work queue:
 *
 * - A key waits at most once, however often it is added. A key that is in process is never handed out a second time; if it is added
 *   meanwhile it waits again once it is done. So no two workers ever hold one key, and nothing that was added is forgotten.
 * - First come, first served: a key is handed out before every key that was added after it. A key that is added while in process goes to
 *   the end of the line when it is done, so that one busy key cannot starve the others.
 * - A key that was added with a delay waits in the line once the delay is over. Of several delays the earliest deadline wins, and a later
 *   `add` leaves it standing: a spurious wake-up is harmless, a lost one is not.
 * - No method throws, whatever the metrics do.
 *
 * Whoever takes a key with `get` must call `done` for it, whatever happened.
 */
export class WorkQueue<Key extends string = KeyText> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<Key>;
  readonly #metrics: WorkQueueMetrics | undefined;
  /** Keys that want attention, with the time since when. Those that are not in process are in the line, the others wait for `done`. */
  readonly #dirty = new Map<Key, MonotonicMillis>();
  /** Keys that a worker holds, with the time since when. */
  readonly #processing = new Map<Key, MonotonicMillis>();
  readonly #line = new Fifo<Key>();
  readonly #delayed = new DeadlineHeap<Key>();
  /** Whoever waits in `get`, in order. While there is one the line is empty. */
  readonly #takers = new Set<(key: Key | undefined) => void>();
  readonly #drained = Promise.withResolvers<void>();
  #timer: (Timer & { readonly due: MonotonicMillis }) | undefined;
  #shuttingDown = false;

  constructor(options: WorkQueueOptions<Key>) {
    this.#clock = options.clock;
    this.#limiter = options.rateLimiter ?? defaultRateLimiter(options.clock);
    this.#metrics = options.metrics;
    this.#tell((metrics) => metrics.running(() => this.running));
  }

  /** How many keys are in the line, ready to be taken. */
  get ready(): number {
    return this.#line.size;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  get running(): RunningWork {
    const ages = [...this.#processing.values()].map((since) => elapsed(this.#clock, since));
    return {
      unfinished: millis(ages.reduce((sum, age) => sum + age, 0)),
      longest: millis(ages.reduce((longest, age) => Math.max(longest, age), 0)),
    };
  }

  /** The key wants attention, now. */
  add(key: Key): void {
    if (this.#shuttingDown || this.#dirty.has(key)) return;
    this.#dirty.set(key, this.#clock.monotonic());
    this.#tell((metrics) => metrics.added());
    this.#tell((metrics) => metrics.depth(this.#dirty.size));
    if (!this.#processing.has(key)) this.#enter(key);
  }

  /** The key wants attention once `delay` has passed, or earlier where it was already added with an earlier deadline. */
  addAfter(key: Key, delay: Millis): void {
    if (this.#shuttingDown) return;
    this.#tell((metrics) => metrics.retried());
    if (!(delay > 0)) return this.add(key);
    this.#delayed.add(key, monotonicMillis(this.#clock.monotonic() + delay));
    this.#arm();
  }

  /** The key failed: it wants attention again after a wait that grows with each failure, until `forget`. */
  addRateLimited(key: Key): void {
    if (this.#shuttingDown) return;
    this.addAfter(key, this.#limiter.when(key));
  }

  /** The key's failures are over. Does not take it out of the queue. */
  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  /** How often in a row the key was added rate limited. */
  failures(key: Key): number {
    return this.#limiter.failures(key);
  }

  /**
   * The next key, as soon as there is one. Undefined once the queue is shut down and the line is empty, or when the signal is aborted
   * first; a key that comes out must be worked on or given back with `done`, also when the signal was aborted in the same moment.
   */
  get(signal: AbortSignal): Promise<Key | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (this.#line.size > 0) return Promise.resolve(this.#handOut());
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const give = (key: Key | undefined) => {
        this.#takers.delete(give);
        signal.removeEventListener('abort', onAbort);
        resolve(key);
      };
      const onAbort = () => give(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#takers.add(give);
    });
  }

  /** The worker lets go of the key. For a key that is not in process: nothing. */
  done(key: Key): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#tell((metrics) => metrics.worked(elapsed(this.#clock, since)));
    if (this.#dirty.has(key)) this.#enter(key);
    this.#finishIfDrained();
  }

  /**
   * From now on nothing is accepted, and what waits for its time is dropped. Resolves when nothing is in process any more and the line
   * is empty. `finish`: what is in the line is still handed out, so somebody must go on taking. `drop`: it is dropped too; `drop` after
   * `finish` cuts the line short.
   */
  shutDown(queued: Shutdown): Promise<void> {
    this.#shuttingDown = true;
    this.#timer?.cancel();
    this.#delayed.clear();
    if (queued === 'drop') {
      this.#line.clear();
      this.#dirty.clear();
      this.#tell((metrics) => metrics.depth(0));
    }
    for (const give of this.#takers) give(undefined);
    this.#finishIfDrained();
    return this.#drained.promise;
  }

  #tell(hook: (metrics: WorkQueueMetrics) => void): void {
    const metrics = this.#metrics;
    if (metrics !== undefined) harmlessly(() => hook(metrics));
  }

  #enter(key: Key): void {
    this.#line.push(key);
    const [taker] = this.#takers;
    if (taker !== undefined) taker(this.#handOut());
  }

  #handOut(): Key | undefined {
    const key = this.#line.shift();
    if (key === undefined) return undefined;
    const since = this.#dirty.get(key) ?? this.#clock.monotonic();
    this.#dirty.delete(key);
    this.#processing.set(key, this.#clock.monotonic());
    this.#tell((metrics) => metrics.waited(elapsed(this.#clock, since)));
    this.#tell((metrics) => metrics.depth(this.#dirty.size));
    return key;
  }

  /** One timer for all delays: for the earliest. */
  #arm(): void {
    const due = this.#delayed.next;
    if (due === undefined || this.#timer?.due === due) return;
    this.#timer?.cancel();
    const timer = this.#clock.after(millis(due - this.#clock.monotonic()), () => this.#wake());
    this.#timer = { due, cancel: () => timer.cancel() };
  }

  #wake(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let due = this.#delayed.take(now); due !== undefined; due = this.#delayed.take(now)) this.add(due.key);
    this.#arm();
  }

  #finishIfDrained(): void {
    if (this.#shuttingDown && this.#processing.size === 0 && this.#line.size === 0) this.#drained.resolve();
  }
}
