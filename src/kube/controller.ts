import type { Clock, Millis, MonotonicMillis } from './clock.ts';
import { elapsed, millis, seconds, sleep } from './clock.ts';
import { endsInTime } from './grace.ts';
import { harmlessly } from './harmlessly.ts';
import type { KeyText } from './object.ts';
import type { WorkQueue } from './work-queue.ts';

/** When a key that went well wants to be looked at again, if nothing happens before. */
export type Next = { readonly kind: 'done' } | { readonly kind: 'after'; readonly delay: Millis };

/** Nothing to do until something changes. */
export const done: Next = { kind: 'done' };

/** Look again once `delay` has passed, or when something changes before. */
export const after = (delay: Millis): Next => ({ kind: 'after', delay });

/**
 * Brings the world one step closer to what the object behind the key asks for. It is told that something changed, not what: it looks for
 * itself, and it may be called any number of times for the same state.
 *
 * Its signal is aborted when nobody will wait for it any more. What it throws means: try again later, with growing waits, except for
 * `TerminalError`, which means that trying again is of no use until something changes.
 */
export type Reconcile<Key = KeyText> = (key: Key, signal: AbortSignal) => Promise<Next>;

/** Trying again would fail in the same way. The key is left alone until it is added again. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly code = 'Terminal';
}

/** How one reconcile went. `failed` will be tried again, `terminal` will not. */
export type Outcome<Key = KeyText> = { readonly key: Key; readonly duration: Millis } & (
  | { readonly kind: 'done' | 'after' }
  | { readonly kind: 'failed' | 'terminal'; readonly error: unknown }
);

export interface WorkersOptions<Key extends string = KeyText> {
  readonly queue: WorkQueue<Key>;
  readonly reconcile: Reconcile<Key>;
  readonly clock: Clock;
  /** Aborted: no reconcile begins any more, and those under way have `grace` left. */
  readonly signal: AbortSignal;
  /** How many keys are worked on at the same time. @default 1 */
  readonly workers?: number;
  /** How long a reconcile that is under way may go on before its own signal is aborted. @default 20 s */
  readonly grace?: Millis;
  /** Hears of every reconcile when it begins. What the hooks throw is dropped. */
  readonly onStarted?: (key: Key) => void;
  /** Hears of every reconcile when it has ended, also of one that ends after `runWorkers` returned. */
  readonly onFinished?: (outcome: Outcome<Key>) => void;
  /** Hears what a reconcile threw, for the log: how often in a row it failed by now, and whether it will be tried again. */
  readonly onError?: (
    key: Key,
    error: unknown,
    failure: { readonly failures: number; readonly retried: boolean },
  ) => void;
}

/** What was still running when the workers went home. */
export interface WorkersEnd<Key = KeyText> {
  /** Keys whose reconcile did not heed its signal. It may still act: start no other workers over the same keys in this process. */
  readonly abandoned: readonly Key[];
}

/** How long a reconcile may take to notice that its signal is aborted. */
const lastWords = millis(100);

/** Workers that never wait would keep timers and sockets, also those of the leader lease, from being served. */
const longestBreath = millis(20);

/**
 * Lets N workers take keys from the queue and reconcile them, never one key twice at a time, until the signal is aborted. Then the queue
 * is shut down and what is in its line is dropped, because whoever starts next looks at everything anyway; what is under way is given
 * `grace`, then its signal is aborted.
 *
 * Never rejects, and always returns, at the latest `grace` and a moment after the abort. What then still runs is named in the result.
 */
export async function runWorkers<Key extends string>(options: WorkersOptions<Key>): Promise<WorkersEnd<Key>> {
  const { queue, signal, clock } = options;
  const tooLate = new AbortController();
  const busy = new Set<Key>();
  const context: Context<Key> = { options, busy, signal: tooLate.signal, breathed: clock.monotonic() };
  const workers = Promise.all(Array.from({ length: Math.max(1, options.workers ?? 1) }, () => work(context)));
  const onAbort = () => void queue.shutDown('drop');
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });

  const finished = await endsInTime(workers, signal, options.grace ?? seconds(20), clock);
  signal.removeEventListener('abort', onAbort);
  if (finished) return { abandoned: [] };
  tooLate.abort(signal.reason);
  await endsInTime(workers, tooLate.signal, lastWords, clock);
  return { abandoned: [...busy] };
}

interface Context<Key extends string> {
  readonly options: WorkersOptions<Key>;
  readonly busy: Set<Key>;
  /** Of the reconciles. */
  readonly signal: AbortSignal;
  breathed: MonotonicMillis;
}

async function work<Key extends string>(context: Context<Key>): Promise<void> {
  const { queue, signal } = context.options;
  for (let key = await queue.get(signal); key !== undefined; key = await queue.get(signal)) {
    if (!signal.aborted) await reconcileOne(context, key);
    queue.done(key);
    await breathe(context);
  }
}

async function reconcileOne<Key extends string>(context: Context<Key>, key: Key): Promise<void> {
  const { options, busy } = context;
  const { queue, clock } = options;
  const started = clock.monotonic();
  busy.add(key);
  harmlessly(() => options.onStarted?.(key));
  const outcome = await attempt(context, key);
  busy.delete(key);
  const retried = outcome.kind === 'failed';
  if (retried) queue.addRateLimited(key);
  harmlessly(() => options.onFinished?.({ ...outcome, key, duration: elapsed(clock, started) }));
  if ('error' in outcome) {
    harmlessly(() => options.onError?.(key, outcome.error, { failures: queue.failures(key), retried }));
  }
}

type Attempt = { readonly kind: 'done' | 'after' } | { readonly kind: 'failed' | 'terminal'; readonly error: unknown };

async function attempt<Key extends string>({ options, signal }: Context<Key>, key: Key): Promise<Attempt> {
  const { queue, reconcile } = options;
  try {
    const next = await reconcile(key, signal);
    if (next.kind === 'after') queue.addAfter(key, next.delay);
    queue.forget(key);
    return { kind: next.kind };
  } catch (error) {
    if (!(error instanceof TerminalError)) return { kind: 'failed', error };
    queue.forget(key);
    return { kind: 'terminal', error };
  }
}

async function breathe<Key extends string>(context: Context<Key>): Promise<void> {
  const { clock } = context.options;
  if (elapsed(clock, context.breathed) < longestBreath) return;
  await sleep(clock, millis(0), new AbortController().signal);
  context.breathed = clock.monotonic();
}
