import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Node } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import type { ClusterSpec, RoleSpec } from '../../model/cluster-spec.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { PodShape } from '../../model/shape.ts';
import { podsOf } from '../cluster/pod-view.ts';
import type { Change } from './happenings.ts';
import type { SimulatedWorld } from './world.ts';
import { namespace } from './world.ts';

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

/** Somebody edits the spec. What cannot be wanted, such as fewer servers than copies, is not. */
export function change(world: SimulatedWorld, wanted: Change): void {
  world.spec = changed(world, wanted);
}

function changed({ spec, judge, replicationFactor }: SimulatedWorld, wanted: Change): ClusterSpec {
  const { rows } = judge.recorded();
  switch (wanted.kind) {
    case 'pod-template':
      return withShape(spec, { specHash: wanted.hash });
    case 'claim-template':
      return withShape(spec, { claimSpecHash: wanted.hash });
    case 'count':
      return withRole(spec, wanted.role, ({ count }) => ({
        count: Math.min(7, Math.max(replicationFactor + 1, count + wanted.by)),
      }));
    case 'remove': {
      const group = pickOf(
        rows.filter(({ removal, role }) => removal === null && role === 'dbserver'),
        wanted.pick,
      );
      const isCancelled = group !== undefined && spec.cancelReplacements.includes(group.id);
      if (group === undefined || isCancelled) return spec;
      return { ...spec, processGroupsToRemove: [...spec.processGroupsToRemove, group.id] };
    }
    case 'cancel': {
      const group = pickOf(
        rows.filter(({ removal, removingAt }) => removal !== null && removingAt === null),
        wanted.pick,
      );
      if (group === undefined) return spec;
      return {
        ...spec,
        cancelReplacements: [...spec.cancelReplacements, group.id],
        processGroupsToRemove: spec.processGroupsToRemove.filter((id) => id !== group.id),
      };
    }
  }
}

function withShape(spec: ClusterSpec, shape: Partial<PodShape>): ClusterSpec {
  const roles = spec.roles.map((role) =>
    role.shape === null ? role : { ...role, shape: { ...role.shape, ...shape } },
  );
  return { ...spec, roles };
}

function withRole(spec: ClusterSpec, name: string, change: (role: RoleSpec) => Partial<RoleSpec>): ClusterSpec {
  return { ...spec, roles: spec.roles.map((role) => (role.name === name ? { ...role, ...change(role) } : role)) };
}

const pickOf = (rows: readonly ProcessGroup[], pick: number): ProcessGroup | undefined =>
  rows[Math.floor(pick * rows.length)];
