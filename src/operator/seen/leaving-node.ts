import type { NodeName } from '../../model/ids.ts';
import type { Node } from '../../model/node.ts';
import type { Instant } from '../../model/time.ts';

/** What was seen of nodes that were to be left and are not any more. */
export interface LeavingSeen {
  /** Since when the nodes are watched without a gap: what came and went before, nobody saw. */
  readonly since: Instant;
  /** When the cordon or the leaving taint of a node was last seen to end. */
  readonly ended: ReadonlyMap<NodeName, Instant>;
}

/** It is cordoned, or has a leaving taint. */
export const isToBeLeft = (node: Pick<Node, 'cordoned' | 'taints'>, leavingTaints: readonly string[]): boolean =>
  node.cordoned || leavingTaintsOf(node, leavingTaints).length > 0;

export const leavingTaintsOf = (
  { taints }: Pick<Node, 'taints'>,
  leavingTaints: readonly string[],
): readonly string[] => taints.map(({ key }) => key).filter((key) => leavingTaints.includes(key));
