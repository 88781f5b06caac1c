import { seconds } from '../../kube/clock.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Node } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { podsOf, podsOnNode } from '../cluster/pod-view.ts';
import { namespace } from './subject.ts';
import type { SimulatedWorld } from './world.ts';

/** The pods of the databases on a node. */
export const podsOn = ({ cluster }: SimulatedWorld, node: string): readonly PodView[] =>
  podsOnNode(cluster.world, node).filter((pod) => pod.namespace === namespace);

export async function cordon({ people, signal }: SimulatedWorld, node: string, unschedulable: boolean): Promise<void> {
  await people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable } } }, { signal });
}

/** A node that is empty is taken away: the machine that comes back under its name has none of the old disks. */
export function takeAway({ cluster }: SimulatedWorld, node: string): void {
  for (const disk of cluster.localDisks(node)) cluster.loseDisk(disk);
}

/** How long a machine is away. Nobody installs one in the few seconds in which a database does not yet miss what it held. */
const away = seconds(180);

/** A node that was drained is taken away, and given back after a while; at once where something runs on it again. */
export async function renew(world: SimulatedWorld, node: string, giveBack: () => Promise<void>): Promise<void> {
  if (podsOn(world, node).length > 0) return giveBack();
  takeAway(world, node);
  world.clock.after(away, () => void giveBack());
}

export async function taint(world: SimulatedWorld, node: string, key: string): Promise<void> {
  const taints = await taintsOn(world, node);
  if (taints.some((one) => one.key === key)) return;
  await setTaints(world, node, [...taints, { key, value: 'yes', effect: 'NoSchedule' }]);
}

export async function untaint(world: SimulatedWorld, node: string, key: string): Promise<void> {
  const taints = await taintsOn(world, node);
  await setTaints(
    world,
    node,
    taints.filter((one) => one.key !== key),
  );
}

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;

async function taintsOn({ people, signal }: SimulatedWorld, node: string): Promise<Taints> {
  const { spec } = await people.get(nodes, { name: node }, { signal });
  return spec?.taints ?? [];
}

async function setTaints({ people, signal }: SimulatedWorld, node: string, taints: Taints): Promise<void> {
  await people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { taints } } }, { signal });
}

const quotas: Resource<KubeObject & { readonly spec: object }> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};
const quotaKey = { namespace, name: 'full' };

/** No pod more than there are now. */
export async function fillQuota({ people, cluster, signal }: SimulatedWorld): Promise<void> {
  const pods = String([...podsOf(cluster.world, namespace)].length);
  await people.create(quotas, { metadata: quotaKey, spec: { hard: { pods } } }, { signal });
}

export async function freeQuota({ people, signal }: SimulatedWorld): Promise<void> {
  await people.delete(quotas, quotaKey, { signal });
}
