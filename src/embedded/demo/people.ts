import { nodes } from '../../kube/resources.ts';
import { nodeAt } from '../cluster/node-view.ts';
import type { DemoWorld } from './world.ts';

/** As `kubectl taint node <node> <key>=yes:NoSchedule` does it. */
export async function taint(world: DemoWorld, node: string, key: string): Promise<void> {
  await setTaints(world, node, [...otherTaints(world, node, key), { key, value: 'yes', effect: 'NoSchedule' }]);
}

/** As `kubectl taint node <node> <key>-` does it. */
export async function untaint(world: DemoWorld, node: string, key: string): Promise<void> {
  await setTaints(world, node, otherTaints(world, node, key));
}

const otherTaints = ({ cluster }: DemoWorld, node: string, key: string): readonly object[] =>
  (nodeAt(cluster.world, node)?.taints ?? []).filter((one) => one.key !== key);

async function setTaints({ people, signal }: DemoWorld, node: string, taints: readonly object[]): Promise<void> {
  await people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { taints } } }, { signal });
}
