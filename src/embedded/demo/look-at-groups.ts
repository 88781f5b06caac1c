import { groupLabels } from '../../operator/stateful-cluster/marks.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { isDeleting, isReady, podsOf } from '../cluster/pod-view.ts';
import type { DemoDatabase } from './database.ts';
import type { GroupInView } from './view-state.ts';
import type { DemoWorld } from './world.ts';

/** Looks at the process groups, and remembers how much each one held when it began to be emptied: only so is there a percentage. */
export class GroupWatcher {
  readonly #held = new Map<string, number>();

  /** Every process group of the demo that has a pod, by the node of that pod; '' where it has none. */
  look(world: DemoWorld): ReadonlyMap<string, readonly GroupInView[]> {
    const groups = world.databases.flatMap((database) => {
      const responds = new Map(database.model.whole().processes.map((process) => [process.group ?? '', process]));
      return [...podsOf(world.cluster.world, database.name)].map((pod) => {
        const id = pod.labels[groupLabels.processGroup] ?? pod.name;
        const process = responds.get(id);
        const isExcluded = process?.excluded === true && process.responds === true;
        return { node: pod.nodeName, group: this.#groupOf(database, id, pod, isExcluded) };
      });
    });
    return new Map(
      [...Map.groupBy(groups, ({ node }) => node)].map(([node, here]) => [node, here.map(({ group }) => group)]),
    );
  }

  #groupOf({ name, data }: DemoDatabase, id: string, pod: PodView, isExcluded: boolean): GroupInView {
    const about = { database: name, id };
    const emptied = this.#emptied(`${name}/${id}`, isExcluded ? data.unmoved(id) : undefined);
    if (isDeleting(pod)) return { ...about, state: 'going', percent: null };
    if (emptied !== undefined) return { ...about, state: 'emptying', percent: emptied };
    if (!isReady(pod)) return { ...about, state: pod.phase === 'Running' ? 'down' : 'starting', percent: null };
    const filled = data.filling(id);
    if (filled !== undefined) return { ...about, state: 'filling', percent: filled };
    return { ...about, state: data.leads(id) ? 'leading' : 'serving', percent: null };
  }

  /** In percent of what it held at first. */
  #emptied(key: string, left: number | undefined): number | undefined {
    if (left === undefined) {
      this.#held.delete(key);
      return undefined;
    }
    const held = Math.max(this.#held.get(key) ?? 0, left);
    this.#held.set(key, held);
    return held === 0 ? 100 : Math.floor(100 * (1 - left / held));
  }
}
