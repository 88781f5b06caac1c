import type { Clock } from '../../kube/clock.ts';
import { toTimestamp } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import type { KindRegistry } from './kind-registry.ts';
import type { WriteContext } from './resource-definition.ts';
import type { Store } from './store.ts';

/** What every part of the server shares: the objects, the kinds, the time, chance. */
export class World {
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly clock: Clock;
  readonly random: Random;
  #uids = 0;
  #addresses = 0;

  constructor(parts: Pick<World, 'store' | 'kinds' | 'clock' | 'random'>) {
    this.store = parts.store;
    this.kinds = parts.kinds;
    this.clock = parts.clock;
    this.random = parts.random;
  }

  /** As `metav1.Time` is written: to the second. */
  now(): string {
    return toTimestamp(this.clock.now()).replace(/\.\d+Z$/, 'Z');
  }

  /** The next uid, of the form of a UUID. Counted, so that the same run gives the same uids. */
  uid(): string {
    this.#uids += 1;
    return `00000000-0000-4000-8000-${this.#uids.toString(16).padStart(12, '0')}`;
  }

  /** Five characters that end a generated name. */
  suffix(): string {
    const letters = 'bcdfghjklmnpqrstvwxz2456789';
    return Array.from({ length: 5 }, () => letters[randomInteger(this.random, 0, letters.length)]).join('');
  }

  readonly context: () => WriteContext = () => ({
    now: this.now(),
    uid: () => this.uid(),
    clusterAddress: () => {
      this.#addresses += 1;
      return `10.96.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
    },
  });
}
