import type { Ongoing } from './ongoing.ts';
import { podsOn, renew, taint, untaint } from './people.ts';
import { leavingKey } from './taint-key.ts';
import type { SimulatedWorld } from './world.ts';

/** Nodes of which somebody says that they are about to go, and waits until they are empty. */
export class TaintDrain implements Ongoing {
  readonly #world: SimulatedWorld;
  readonly #waiting: Set<string>;

  constructor(world: SimulatedWorld, nodes: readonly string[]) {
    this.#world = world;
    this.#waiting = new Set(nodes);
  }

  async begin(): Promise<void> {
    for (const node of this.#waiting) await taint(this.#world, node, leavingKey);
  }

  async step(): Promise<boolean> {
    for (const node of this.#waiting) {
      // Somebody else who gave the node up may have taken it off.
      await taint(this.#world, node, leavingKey);
      if (podsOn(this.#world, node).length > 0) continue;
      this.#waiting.delete(node);
      await renew(this.#world, node, () => untaint(this.#world, node, leavingKey));
    }
    return this.#waiting.size === 0;
  }

  async end(): Promise<void> {
    for (const node of this.#waiting) await untaint(this.#world, node, leavingKey);
  }
}
