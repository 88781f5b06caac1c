import type { EvictionGuardSpec } from '../../api/v1alpha1/eviction-guard.schema.ts';
import { selects } from '../../kube/label-selection.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { StaffedRole } from '../lock/lock-owner.ts';
import { seenClaim } from '../stateful-cluster/seen/claim.ts';
import type { Guard } from './guard.ts';
import { lockedRoles } from './guard.ts';
import type { NamespaceSeen } from './pods-on-demand.ts';
import type { RecordedPod } from './recorded-guard.ts';
import type { GuardedPodView } from './seen-pod.ts';

/** A pod that a guard selects, and for which role: the first in the spec, where several do. */
export interface Member {
  readonly view: GuardedPodView;
  readonly roles: readonly [string, ...string[]];
}

/** The pods that the roles of a guard select, sorted by name. */
export function membersOf(
  { roles }: Pick<EvictionGuardSpec, 'roles'>,
  { pods }: Pick<NamespaceSeen, 'pods'>,
): readonly Member[] {
  return pods
    .flatMap((view): Member[] => {
      const [first, ...more] = roles.filter(({ selector }) => selects(selector, view.labels)).map((role) => role.name);
      return first === undefined ? [] : [{ view, roles: [first, ...more] }];
    })
    .toSorted((a, b) => (a.view.pod.name < b.view.pod.name ? -1 : 1));
}

/** The roles of a guard that are locked, with their pods. One that is away is still on record, and may come again under its name. */
export function staffedRoles(
  guard: Pick<Guard, 'spec' | 'status'>,
  members: readonly Member[],
): readonly StaffedRole[] {
  return lockedRoles(guard).map((locked) => {
    const there = members.filter(({ roles }) => roles.includes(locked.role)).map(({ view }) => view.pod.name);
    const recorded = guard.status.processes.filter(({ role }) => role === locked.role).map(({ pod }) => pod ?? '');
    return { ...locked, pods: [...new Set([...there, ...recorded])].filter((pod) => pod !== '') };
  });
}

/**
 * The process groups of a guard: each pod is one, named after itself. One whose pod is away stays for as long as it is on record, because what the
 * engine still says of its process is said of this pod; it is the same one again when its owner makes a pod of that name.
 */
export function groupsOf(
  members: readonly Member[],
  seen: NamespaceSeen,
  recorded: readonly RecordedPod[],
): readonly ProcessGroup[] {
  const known = new Map(recorded.map((row) => [row.pod, row]));
  const there = new Set(seen.pods.map(({ pod }) => pod.name));
  const present = members.map(({ view, roles: [role] }): ProcessGroup => {
    const { pod } = view;
    return { ...groupFrom(pod.name, role, known.get(pod.name)), pod, claim: claimOf(view, seen) };
  });
  const away = recorded.filter(({ pod }) => !there.has(pod)).map((row) => groupFrom(row.pod, row.role, row));
  return [...present, ...away];
}

export const groupIdOf = (pod: string): ProcessGroupId => name(pod);

function groupFrom(pod: string, role: string, row: RecordedPod | undefined): ProcessGroup {
  return {
    id: groupIdOf(pod),
    role: name(role),
    addresses: row?.addresses ?? [],
    zone: row?.zone ?? null,
    conditions: row?.conditions ?? [],
    evacuationAt: row?.evacuationAt ?? null,
    removal: null,
    drainedAt: null,
    removingAt: null,
    taints: [],
    pod: null,
    claim: 'none',
    service: 'none',
  };
}

/** All claims of a pod as one: its data goes along only where all of it does. */
function claimOf({ claims }: GuardedPodView, seen: NamespaceSeen): ProcessGroup['claim'] {
  const found = claims.map((claim) => seen.claim(claim));
  const known = found.flatMap((one) => (one === undefined ? [] : [seenClaim(one.claim, one.volume)]));
  const [first] = known;
  if (first === undefined) return claims.length === 0 ? 'none' : null;
  if (known.length < claims.length) return null;
  return {
    ...first,
    deleting: known.some(({ deleting }) => deleting),
    travels: known.every(({ travels }) => travels),
  };
}
