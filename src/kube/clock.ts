/** A length of time in milliseconds. Seconds never meet milliseconds: convert with `seconds()` and `minutes()`. */
export type Millis = number & { readonly unit: 'ms' };

/** A moment of wall-clock time: milliseconds since 1970. It may jump; use it for what is written down. */
export type EpochMillis = number & { readonly unit: 'epoch-ms' };

/** A moment of a clock that never jumps and never goes back. Only differences mean something, and only in this process. */
export type MonotonicMillis = number & { readonly unit: 'monotonic-ms' };

/** All time that Drover knows. `src/kube/real-clock.ts` is the only implementation that asks the machine. */
export interface Clock {
  now(): EpochMillis;
  monotonic(): MonotonicMillis;
  /**
   * Calls back once, not before `delay` has passed on the monotonic clock. A delay of zero or less calls back soon, never
   * inside this call.
   */
  after(delay: Millis, callback: () => void): Timer;
}

/** A call-back that has not happened yet. */
export interface Timer {
  /** The call-back will not happen any more. Harmless afterwards and twice. */
  cancel(): void;
}

export const millis = (value: number): Millis => value as Millis;
export const seconds = (value: number): Millis => millis(value * 1000);
export const minutes = (value: number): Millis => seconds(value * 60);
export const epochMillis = (value: number): EpochMillis => value as EpochMillis;
export const monotonicMillis = (value: number): MonotonicMillis => value as MonotonicMillis;

/** How long ago `then` was, on a clock that does not jump. */
export const elapsed = (clock: Clock, then: MonotonicMillis): Millis => millis(clock.monotonic() - then);

/** RFC 3339 with milliseconds, as Kubernetes writes `metav1.Time` and events. */
export const toTimestamp = (instant: EpochMillis): string => new Date(instant).toISOString();

/** The moment that a Kubernetes timestamp names, or undefined where it names none. */
export function fromTimestamp(text: string): EpochMillis | undefined {
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? undefined : epochMillis(parsed);
}

/** Resolves after `delay`, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delay: Millis, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.after(delay, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** A signal that is aborted by its parent, or by its own clock. Dispose it, or its timer outlives the work. */
export interface Deadline {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** Limits work to `delay`. The reason of the abort is `reason()`, made only when the time runs out. */
export function deadline(clock: Clock, delay: Millis, parent: AbortSignal, reason: () => Error): Deadline {
  const controller = new AbortController();
  const onParent = () => controller.abort(parent.reason);
  const timer = clock.after(delay, () => controller.abort(reason()));
  if (parent.aborted) onParent();
  else parent.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    dispose() {
      timer.cancel();
      parent.removeEventListener('abort', onParent);
    },
  };
}
