import { maxProcessGroups } from '../../api/v1alpha1/process-group.schema.ts';
import type { KeyText } from '../../kube/object.ts';
import type { ProcessGroupId, RoleName } from '../../model/ids.ts';
import type { Cluster } from './cluster.ts';
import { objectNames } from './marks.ts';
import type { Belonging } from './seen/belonging.ts';
import { belongsTo } from './seen/belonging.ts';

/** An object that carries the labels of a process group. */
export interface LabelledObject {
  readonly what: keyof typeof objectNames;
  /** `namespace/name`, as in the caches. */
  readonly key: KeyText;
  readonly version: string;
  readonly belonging: Belonging | undefined;
  readonly deleting: boolean;
}

export interface Adoption {
  /** Process groups that live and that the status does not list, sorted by id. Each is to get a row. */
  readonly groups: readonly { readonly id: ProcessGroupId; readonly role: RoleName }[];
  /** Objects of the cluster that nothing owns: deleting the cluster would leave them behind. They are to get its owner reference. */
  readonly unowned: readonly LabelledObject[];
  /** The least number that the next process group may have, so that no id is used twice; 1 where there is nothing. */
  readonly nextGroupNumber: number;
}

/** Beyond this the status has no room for the next number. Drover never got there, so whatever has such an id is not of its making. */
const mostNumbers = 2_147_483_647;

/** Where the labels of a group's objects name different roles, the first of these that is there is believed. */
const authority: readonly LabelledObject['what'][] = ['pod', 'claim', 'service'];

/**
 * What is there of a cluster and not on record, so that a status that was lost orphans nothing. An object counts by its labels and its name;
 * one that another cluster owns, also an earlier one of the same name, never does, and neither does one that is on its way out.
 */
export function adoption(cluster: Cluster, objects: readonly LabelledObject[]): Adoption {
  const ours = objects.filter((object) => isOurs(cluster, object));
  const listed = new Set<string>(cluster.status.processGroups.map(({ processGroupID }) => processGroupID));
  const roles = new Map<ProcessGroupId, RoleName>();
  for (const { belonging } of ours.toSorted((a, b) => authority.indexOf(a.what) - authority.indexOf(b.what)))
    if (belonging !== undefined && !listed.has(belonging.group) && !roles.has(belonging.group))
      roles.set(belonging.group, belonging.role);
  const groups = [...roles].map(([id, role]) => ({ id, role })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    groups: groups.slice(0, Math.max(0, maxProcessGroups - listed.size)),
    unowned: ours.filter(({ belonging }) => belonging?.owner === null),
    nextGroupNumber: 1 + Math.max(0, ...[...listed, ...roles.keys()].map(numberIn)),
  };
}

function isOurs(cluster: Cluster, { what, key, belonging, deleting }: LabelledObject): boolean {
  if (belonging === undefined || deleting || !belongsTo(cluster, belonging)) return false;
  if (numberIn(belonging.group) >= mostNumbers) return false;
  return key === `${cluster.namespace}/${objectNames[what](cluster.name, belonging.group)}`;
}

const numberIn = (id: string): number => Number(/\d+$/.exec(id)?.[0] ?? 0);
