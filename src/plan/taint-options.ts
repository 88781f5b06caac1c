import type { AutomaticReplacement } from '../model/cluster-spec.ts';
import type { Node, Taint } from '../model/node.ts';
import type { Duration } from '../model/time.ts';

const wildcard = '*';

/** How long a taint must have been on a node before it counts: the option with the exact key wins, else `*`. */
export class TaintOptions {
  readonly #durations: ReadonlyMap<string, Duration>;

  constructor({ taints }: AutomaticReplacement) {
    this.#durations = new Map(taints.map(({ key, duration }) => [key, duration]));
  }

  /** Off: no node is looked at for taints. */
  get off(): boolean {
    return this.#durations.size === 0;
  }

  /** `never`: the taint is reported, and nothing is replaced for it. undefined: no option is meant for it. */
  durationOf(key: string): Duration | undefined {
    return this.#durations.get(key) ?? this.#durations.get(wildcard);
  }

  /** The taints of a node that an option is meant for. Value and effect do not matter. */
  matching({ taints }: Node): readonly Taint[] {
    return taints.filter(({ key }) => key !== '' && this.durationOf(key) !== undefined);
  }
}
