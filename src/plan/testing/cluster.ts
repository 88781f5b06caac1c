import type { ClusterSpec, RoleSpec } from '../../model/cluster-spec.ts';
import type { Step } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type {
  ConditionType,
  GroupCondition,
  Pod,
  ProcessGroup,
  Removal,
  RemovalCause,
} from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenGroup,
  givenPod,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import type { Survey } from '../../rules/survey.ts';
import { surveyOf } from '../../rules/survey.ts';
import { says } from './says.ts';

/** A cluster for tests: process groups by id, and the rest of the snapshot. */
export interface Cluster {
  readonly groups?: { readonly [id: string]: Parameters<typeof givenGroup>[1] };
  readonly roles?: readonly RoleSpec[];
  readonly spec?: Partial<ClusterSpec>;
  readonly snapshot?: Partial<Snapshot>;
}

/** Every group that is given, each with a process that is well, in roles that want exactly as many. */
export function snapshotOf({ groups = {}, roles, spec = {}, snapshot = {} }: Cluster): Snapshot {
  const processGroups = Object.entries(groups).map(([id, given]) => givenGroup(id, given));
  return givenSnapshot({
    spec: givenSpec({ roles: roles ?? rolesOf(processGroups), ...spec }),
    processGroups,
    topology: givenTopology({ processes: processGroups.map(({ id, role }) => givenProcess(id, { role })) }),
    nextGroupNumber: 100,
    ...snapshot,
  });
}

const rolesOf = (groups: readonly ProcessGroup[]): readonly RoleSpec[] =>
  [...Map.groupBy(groups, ({ role }) => role)].map(([role, all]) => givenRole(role, { count: all.length }));

/** All that a step says of a cluster. */
export const saysOf = (step: (survey: Survey) => Step, cluster: Cluster): readonly string[] =>
  says(step(surveyOf(snapshotOf(cluster))));

export const ids = (...texts: readonly string[]): readonly ProcessGroupId[] => texts.map((text) => name(text));

export const markedFor = (cause: RemovalCause = 'Requested', seconds = -100, withoutExclusion = false): Removal => ({
  at: at(seconds),
  cause,
  withoutExclusion,
});

export const held = (type: ConditionType, seconds = -60): GroupCondition => ({ type, since: at(seconds) });

/** A process group that was just added, and whose pod finds no node. */
export const stuck = (
  id: string,
  pod: Parameters<typeof givenPod>[1] = {},
): NonNullable<Parameters<typeof givenGroup>[1]> => ({
  addresses: [],
  zone: null,
  pod: waitingPod(id, pod),
});

const waitingPod = (id: string, pod: Parameters<typeof givenPod>[1]): Pod =>
  givenPod(id, { phase: 'Pending', node: null, ready: false, unschedulable: '0/6 nodes are available', ...pod });
