import { nodes } from '../../kube/resources.ts';
import type { NodeName, ProcessGroupId, Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { podsOnNode } from '../cluster/pod-view.ts';
import type { DemoWorld } from './world.ts';

/** Who asks in the story. */
export const jane = 'jane';

/** A node that somebody drains: cordoned, and every pod on it asked to go, again and again, until none is left or the person gives up. */
export class Drain {
  readonly #world: DemoWorld;
  readonly node: string;

  constructor(world: DemoWorld, node: string) {
    this.#world = world;
    this.node = node;
  }

  begin(): Promise<void> {
    return this.#cordon(true);
  }

  /** Asks once more. True: the node is empty. */
  step(): boolean {
    const left = this.pods();
    for (const database of this.#world.databases) {
      const here = left.filter(({ namespace }) => namespace === database.name);
      this.#ask(database.asks, here);
    }
    return left.length === 0;
  }

  /** Nothing is asked any more, and pods may come to the node again. */
  async end(): Promise<void> {
    for (const { asks } of this.#world.databases) this.#ask(asks, []);
    await this.#cordon(false);
  }

  /** The machine is taken away, and one with empty disks comes back under its name. */
  swapMachine(): void {
    const { cluster } = this.#world;
    for (const disk of cluster.localDisks(this.node)) cluster.loseDisk(disk);
  }

  /** The pods of databases that are still there. */
  pods(): readonly PodView[] {
    const { cluster, databases } = this.#world;
    const names = new Set(databases.map((database) => database.name));
    return podsOnNode(cluster.world, this.node).filter(({ namespace }) => names.has(namespace));
  }

  #ask(asks: DemoWorld['databases'][number]['asks'], pods: readonly PodView[]): void {
    const now = instant(this.#world.clock.now());
    for (const [uid, ask] of asks) {
      if (ask.node === this.node && !pods.some((pod) => pod.uid === uid)) asks.delete(uid);
    }
    for (const pod of pods) {
      const since = asks.get(pod.uid)?.since ?? now;
      const who = { group: name<ProcessGroupId>(pod.name), pod: name<Uid>(pod.uid), node: name<NodeName>(this.node) };
      asks.set(pod.uid, { ...who, source: 'Eviction', by: jane, since, lastSeen: now, force: null });
    }
  }

  async #cordon(unschedulable: boolean): Promise<void> {
    const { people, signal } = this.#world;
    await people.patch(nodes, { name: this.node }, { type: 'merge', body: { spec: { unschedulable } } }, { signal });
  }
}
