import { nodesOf } from '../cluster/node-view.ts';
import { podsOf, podsOnNode } from '../cluster/pod-view.ts';
import type { DemoWorld } from './world.ts';

/** The names of a database's pods on a node. */
export const podsOfOn = ({ cluster }: DemoWorld, database: string, node: string): readonly string[] =>
  podsOnNode(cluster.world, node).flatMap((pod) => (pod.namespace === database ? [pod.name] : []));

/** Where a pod runs; undefined: nowhere. */
export const nodeOf = ({ cluster }: DemoWorld, database: string, pod: string): string | undefined =>
  [...podsOf(cluster.world, database)].find(({ name }) => name === pod)?.nodeName;

/** The servers of shop on a node. */
export const serversOn = (world: DemoWorld, node: string): readonly string[] =>
  podsOfOn(world, 'shop', node).filter((pod) => pod.startsWith('dbserver'));

/** A node that is worth tainting: it has a server of shop, and not the lone server, which would only be held. n4 where that is one. */
export function nodeToTaint(world: DemoWorld): string {
  const names = ['n4', ...nodesOf(world.cluster.world).map(({ name }) => name)];
  const isGood = (node: string) => serversOn(world, node).length > 0 && podsOfOn(world, 'reports', node).length === 0;
  return names.find(isGood) ?? 'n4';
}
