import type { Clock, Millis } from './clock.ts';
import { elapsed } from './clock.ts';

/** Keeps what `load` gave for a while; callers at the same time share one load; a failed load is not kept. */
export function remembered<T>(clock: Clock, life: Millis, load: () => Promise<T>): (renew?: boolean) => Promise<T> {
  let loaded: { readonly at: ReturnType<Clock['monotonic']>; readonly value: Promise<T> } | undefined;
  return (renew = false) => {
    if (loaded === undefined || renew || elapsed(clock, loaded.at) >= life) {
      const fresh = { at: clock.monotonic(), value: load() };
      fresh.value.catch(() => {
        if (loaded === fresh) loaded = undefined;
      });
      loaded = fresh;
    }
    return loaded.value;
  };
}
