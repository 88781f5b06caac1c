import { performance } from 'node:perf_hooks';
import type { Clock, Millis, Timer } from './clock.ts';
import { epochMillis, monotonicMillis } from './clock.ts';

/** Beyond this, Node fires a timer at once instead of late. */
const longestTimeout = 2_147_483_647;

/** The machine's own time: the only place in Drover that reads it. */
export const realClock: Clock = {
  now: () => epochMillis(Date.now()),
  monotonic: () => monotonicMillis(performance.now()),
  after(delay: Millis, callback: () => void): Timer {
    // Node cuts fractions off, and a timer must not fire early.
    let remaining = Math.ceil(Math.max(0, delay));
    let handle: NodeJS.Timeout;
    const arm = () => {
      const step = Math.min(remaining, longestTimeout);
      remaining -= step;
      handle = setTimeout(remaining > 0 ? arm : callback, step);
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};
