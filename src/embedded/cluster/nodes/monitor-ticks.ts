import type { Millis, MonotonicMillis } from '../../../kube/clock.ts';
import { millis } from '../../../kube/clock.ts';

/** How long from `now` until a controller that looks once in every `period` looks first at or after `due`. Zero: it looks now. */
export function untilTick(now: MonotonicMillis, due: MonotonicMillis, period: Millis): Millis {
  const tick = Math.ceil(Math.max(now, due) / period) * period;
  return millis(tick - now);
}
