import { nodes } from '../../kube/resources.ts';
import type { NodeName, ProcessGroupId, Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import { podsOnNode } from '../cluster/pod-view.ts';
import type { Ongoing } from './ongoing.ts';
import { namespace } from './subject.ts';
import type { SimulatedWorld } from './world.ts';

/**
 * Nodes that somebody drains, as `kubectl drain` does it: cordoned, and every pod asked to go, again and again until none is left. A node that
 * is empty is taken away: the machine that comes back under its name has none of the old disks.
 */
export class Drain implements Ongoing {
  readonly #world: SimulatedWorld;
  readonly #waiting: Set<string>;
  readonly #nodes: readonly string[];

  constructor(world: SimulatedWorld, drained: readonly string[]) {
    this.#world = world;
    this.#nodes = drained;
    this.#waiting = new Set(drained);
  }

  async begin(): Promise<void> {
    for (const node of this.#nodes) await this.#cordon(node, true);
  }

  async step(): Promise<boolean> {
    for (const node of this.#waiting) {
      this.#ask(node);
      if (this.#podsOn(node).length > 0) continue;
      this.#waiting.delete(node);
      this.#takeAway(node);
    }
    if (this.#waiting.size === 0) await this.end();
    return this.#waiting.size === 0;
  }

  async end(): Promise<void> {
    for (const node of this.#nodes) {
      for (const [uid, ask] of this.#world.asks) if (ask.node === node) this.#world.asks.delete(uid);
      await this.#cordon(node, false);
    }
    this.#tell();
  }

  #podsOn(node: string) {
    return podsOnNode(this.#world.cluster.world, node).filter((pod) => pod.namespace === namespace);
  }

  #ask(node: string): void {
    const { asks, clock } = this.#world;
    const now = instant(clock.now());
    const pods = this.#podsOn(node);
    for (const [uid, ask] of asks) if (ask.node === node && !pods.some((pod) => pod.uid === uid)) asks.delete(uid);
    for (const pod of pods) {
      const since = asks.get(pod.uid)?.since ?? now;
      const group = this.#world.subject.groupOf('pod', pod.name);
      if (group === undefined) continue;
      const who = { group: name<ProcessGroupId>(group), pod: name<Uid>(pod.uid), node: name<NodeName>(node) };
      asks.set(pod.uid, { ...who, source: 'Eviction', by: 'jane', since, lastSeen: now, force: null });
    }
    this.#tell();
  }

  #tell(): void {
    this.#world.subject.ask([...this.#world.asks.values()]);
  }

  #takeAway(node: string): void {
    const { cluster } = this.#world;
    for (const disk of cluster.localDisks(node)) cluster.loseDisk(disk);
  }

  async #cordon(node: string, unschedulable: boolean): Promise<void> {
    const { people, signal } = this.#world;
    await people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable } } }, { signal });
  }
}
