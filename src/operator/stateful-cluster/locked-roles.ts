import type { Labels } from '../../kube/label-selection.ts';
import { name } from '../../model/ids.ts';
import { isLocked } from '../lock/is-locked.ts';
import type { LockOwner, StaffedRole } from '../lock/lock-owner.ts';
import type { Cluster } from './cluster.ts';
import { groupLabels, labelsOf, objectNames } from './marks.ts';

export const lockOwnerOf = ({
  namespace,
  name: cluster,
  uid,
}: Pick<Cluster, 'namespace' | 'name' | 'uid'>): LockOwner => ({
  kind: 'StatefulCluster',
  namespace,
  name: cluster,
  uid,
});

/** The roles of a cluster that are locked, with the labels by which Drover itself marks their pods. */
export function staffedRoles(cluster: Cluster): readonly StaffedRole[] {
  return cluster.spec.roles
    .map(({ name: role }) => role)
    .filter((role) => isLocked(cluster.spec.engine.type, role))
    .map((role) => ({
      role,
      selector: { matchLabels: { [groupLabels.cluster]: cluster.name, [groupLabels.role]: role } },
      pods: cluster.status.processGroups
        .filter((row) => row.role === role)
        .map(({ processGroupID }) => objectNames.pod(cluster.name, name(processGroupID))),
    }));
}

/** What the pods that Drover makes next are labelled with: a budget that would select them stands in the way before they are there. */
export const labelsToCome = (cluster: Cluster): readonly Labels[] =>
  cluster.spec.roles.map((role) => ({
    ...templateLabels(role.template),
    ...labelsOf(cluster, role.name, name('new')),
  }));

function templateLabels(template: unknown): Labels {
  const metadata = fieldOf(template, 'metadata');
  const labels = fieldOf(metadata, 'labels');
  if (typeof labels !== 'object' || labels === null) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const fieldOf = (object: unknown, field: string): unknown =>
  typeof object === 'object' && object !== null
    ? Object.entries(object).find(([key]) => key === field)?.[1]
    : undefined;
