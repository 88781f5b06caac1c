import { groupLabels } from '../../operator/stateful-cluster/marks.ts';
import { nodesOf } from '../cluster/node-view.ts';
import { podsOf, podsOnNode } from '../cluster/pod-view.ts';
import type { DemoWorld } from './world.ts';

/** The ids of a database's process groups on a node. */
export const groupsOn = ({ cluster }: DemoWorld, database: string, node: string): readonly string[] =>
  podsOnNode(cluster.world, node).flatMap(({ namespace, labels }) =>
    namespace === database ? (labels[groupLabels.processGroup] ?? []) : [],
  );

/** Where a process group runs; undefined: nowhere. */
export const nodeOf = ({ cluster }: DemoWorld, database: string, group: string): string | undefined =>
  [...podsOf(cluster.world, database)].find(({ labels }) => labels[groupLabels.processGroup] === group)?.nodeName;

/** A node that is worth tainting: it has a server of shop, and not the lone server, which would only be held. n4 where that is one. */
export const nodeToTaint = (world: DemoWorld): string => nodeWith(world, 'n4', ['shop']);

/** A node that is worth draining: it has data of both databases, and not the lone server. n3 where that is one. */
export const nodeToDrain = (world: DemoWorld): string => nodeWith(world, 'n3', ['shop', 'ledger']);

function nodeWith(world: DemoWorld, usual: string, databases: readonly string[]): string {
  const names = [usual, ...nodesOf(world.cluster.world).map(({ name }) => name)];
  const has = (node: string, database: string) =>
    groupsOn(world, database, node).some((group) => group.startsWith('server') || group.startsWith('storage'));
  const isGood = (node: string) =>
    groupsOn(world, 'reports', node).length === 0 && databases.every((database) => has(node, database));
  return names.find(isGood) ?? usual;
}
