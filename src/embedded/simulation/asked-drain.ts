import type { NodeName, ProcessGroupId, Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import type { Ongoing } from './ongoing.ts';
import { cordon, podsOn, takeAway } from './people.ts';
import type { SimulatedWorld } from './world.ts';

/**
 * Nodes that somebody drains where there is no API server to be asked about it: cordoned, and every pod asked to go, again and again until none is
 * left.
 */
export class AskedDrain implements Ongoing {
  readonly #world: SimulatedWorld;
  readonly #waiting: Set<string>;
  readonly #nodes: readonly string[];

  constructor(world: SimulatedWorld, drained: readonly string[]) {
    this.#world = world;
    this.#nodes = drained;
    this.#waiting = new Set(drained);
  }

  async begin(): Promise<void> {
    for (const node of this.#nodes) await cordon(this.#world, node, true);
  }

  async step(): Promise<boolean> {
    for (const node of this.#waiting) {
      this.#ask(node);
      if (podsOn(this.#world, node).length > 0) continue;
      this.#waiting.delete(node);
      takeAway(this.#world, node);
    }
    if (this.#waiting.size === 0) await this.end();
    return this.#waiting.size === 0;
  }

  async end(): Promise<void> {
    for (const node of this.#nodes) {
      for (const [uid, ask] of this.#world.asks) if (ask.node === node) this.#world.asks.delete(uid);
      await cordon(this.#world, node, false);
    }
    this.#tell();
  }

  #ask(node: string): void {
    const { asks, clock } = this.#world;
    const now = instant(clock.now());
    const pods = podsOn(this.#world, node);
    for (const [uid, ask] of asks) if (ask.node === node && !pods.some((pod) => pod.uid === uid)) asks.delete(uid);
    for (const pod of pods) {
      const since = asks.get(pod.uid)?.since ?? now;
      const group = this.#world.subject.groupOf('pod', pod.name);
      if (group === undefined) continue;
      const who = { group: name<ProcessGroupId>(group), pod: name<Uid>(pod.uid), node: name<NodeName>(node) };
      asks.set(pod.uid, { ...who, source: 'Eviction', by: 'jane', since, lastSeen: now, force: null, wants: 'Pod' });
    }
    this.#tell();
  }

  #tell(): void {
    this.#world.subject.ask?.([...this.#world.asks.values()]);
  }
}
