import type { Ask } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

/** Someone wants a pod gone, with what is remembered of it besides what a decision needs. */
export interface AskRow extends Omit<Ask, 'wants'> {
  /** The name of the pod. */
  readonly name: string;
  /** How often it was asked. 0: it was not, but others of its cordoned node were. */
  readonly times: number;
  /**
   * The node was cordoned when it was asked, or came to be, or had a leaving taint: the end of that takes the ask back. null: nobody saw the node
   * then.
   */
  readonly cordoned: boolean | null;
  /** When the pod was let go. */
  readonly letGoAt: Instant | null;
}

/** What a decision needs of it, and nothing else: a snapshot that holds more cannot be saved. */
export function askOf({ group, pod, node, source, by, since, lastSeen, force, times }: AskRow): Ask {
  return { group, pod, node, source, by, since, lastSeen, force, wants: times === 0 ? 'Node' : 'Pod' };
}

/** One row for each pod, way and asker. */
export const keyOf = ({ pod, source, by }: Pick<AskRow, 'pod' | 'source' | 'by'>): string => `${pod} ${source} ${by}`;
