import type { Topology } from '../../model/topology.ts';
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
      const topology = database.parts.model.whole();
      return [...podsOf(world.cluster.world, database.name)].map((pod) => ({
        node: pod.nodeName,
        group: this.#groupOf(database, topology, pod),
      }));
    });
    return new Map(
      [...Map.groupBy(groups, ({ node }) => node)].map(([node, here]) => [node, here.map(({ group }) => group)]),
    );
  }

  #groupOf(database: DemoDatabase, topology: Topology, pod: PodView): GroupInView {
    const about = { database: database.name, id: pod.name };
    const process = topology.processes.find(({ id }) => id === pod.name);
    const isEmptying = process?.excluded === true && process.responds === true;
    const emptied = this.#emptied(`${database.name}/${pod.name}`, isEmptying ? unmoved(topology, pod.name) : undefined);
    if (isDeleting(pod)) return { ...about, state: 'going', percent: null };
    if (emptied !== undefined) return { ...about, state: 'emptying', percent: emptied };
    if (!isReady(pod)) return { ...about, state: pod.phase === 'Running' ? 'down' : 'starting', percent: null };
    const filled = filling(topology, pod.name);
    if (filled !== undefined) return { ...about, state: 'filling', percent: filled };
    return { ...about, state: leads(topology, pod.name) ? 'leading' : 'serving', percent: null };
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

/** How many copies a process still has to give away, those that are on their way in parts. */
function unmoved({ units }: Topology, process: string): number {
  const here = units.filter(({ replicas }) =>
    replicas.some((replica) => replica.process === process && !replica.doomed),
  );
  return here.reduce((sum, { copying }) => sum + 1 - (copying?.percent ?? 0) / 100, 0);
}

/** How far the copies that a process is being given have come, all together; undefined: it is given none. */
function filling({ units }: Topology, process: string): number | undefined {
  const coming = units.filter(({ replicas }) =>
    replicas.some((replica) => replica.process === process && replica.state === 'rebuilding' && !replica.doomed),
  );
  if (coming.length === 0) return undefined;
  return Math.floor(coming.reduce((sum, { copying }) => sum + (copying?.percent ?? 0), 0) / coming.length);
}

const leads = ({ units, quorums }: Topology, process: string): boolean =>
  quorums.some(({ leader }) => leader === process) ||
  units.some(({ replicas }) => replicas.some((replica) => replica.process === process && replica.leader));
