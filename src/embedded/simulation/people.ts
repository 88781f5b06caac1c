import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Node } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import { podsOf } from '../cluster/pod-view.ts';
import { namespace } from './subject.ts';
import type { SimulatedWorld } from './world.ts';

export async function taint(world: SimulatedWorld, node: string, key: string): Promise<void> {
  const others = await taintsOn(world, node, key);
  await setTaints(world, node, [...others, { key, value: 'yes', effect: 'NoSchedule' }]);
}

export async function untaint(world: SimulatedWorld, node: string, key: string): Promise<void> {
  await setTaints(world, node, await taintsOn(world, node, key));
}

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;

/** All but the one of this key. */
async function taintsOn({ people, signal }: SimulatedWorld, node: string, key: string): Promise<Taints> {
  const { spec } = await people.get(nodes, { name: node }, { signal });
  return (spec?.taints ?? []).filter((one) => one.key !== key);
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
