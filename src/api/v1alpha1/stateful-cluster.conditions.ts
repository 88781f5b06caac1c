import type { ConditionDefinition } from './condition.schema.ts';

/** The conditions of a StatefulCluster. */
export const statefulClusterConditions = [
  {
    type: 'Ready',
    whenTrue:
      'The engine serves requests, and every process group that the spec asks for is up. A process group that is drained and stuck terminating does not count against it.',
    whenFalse: 'Something is missing; the reason says what.',
    reasons: {
      AllAvailable: 'every process group is up and the engine serves requests',
      EngineUnavailable: 'the engine answers, and says that it does not serve requests',
      EngineUnreachable: 'the engine does not answer, or not with a whole answer; the status is Unknown then',
      EngineNotSupported: 'this version of Drover cannot run an engine of that type; the status is Unknown then',
      ProcessGroupsUnavailable: 'the engine serves requests, and some process groups are not up',
      InvalidSpec: 'the spec was accepted under older rules and breaks a present one; the message names the field',
    },
    alsoCodes: false,
  },
  {
    type: 'Progressing',
    whenTrue: 'Drover is changing something: adding, replacing, removing or updating process groups.',
    whenFalse: 'The cluster is as the spec asks, or what is left to do waits.',
    reasons: {
      Bootstrapping: 'the cluster is coming up for the first time',
      Changing: 'process groups are added, replaced, removed or updated',
      AsSpecified: 'the cluster is as the spec asks',
      Waiting: 'there is work, and all of it waits; see Blocked',
    },
    alsoCodes: false,
  },
  {
    type: 'Blocked',
    whenTrue:
      'At least one process group waits for something. The reason is that of the one that has waited longest, and the message names it. Where none does, it is what the cluster as a whole waits for, a new one to be set up for example.',
    whenFalse: 'Nothing waits.',
    reasons: { NothingWaits: 'no process group waits for anything, nor does the cluster' },
    alsoCodes: true,
  },
  {
    type: 'ConflictingRequests',
    whenTrue:
      'cancelReplacementsForInstance lists a process group that another part of the spec wants gone. Nothing is done about that process group until one of the two gives way.',
    whenFalse: 'No process group is asked both to stay and to go.',
    reasons: {
      RemoveAndCancel: 'the id is in a removal list and in cancelReplacementsForInstance',
      ShrinkAndCancel: 'a lower count could only be met by removing process groups that are listed to stay',
      ChangeAndCancel: 'a change of the spec forces the replacement of a process group that is listed to stay',
      NoConflict: 'no process group is asked both to stay and to go',
    },
    alsoCodes: false,
  },
  {
    type: 'UnknownProcessGroups',
    whenTrue: 'A list in the spec names process groups that do not exist. They are ignored; the message names them.',
    whenFalse: 'Every id that the spec lists exists.',
    reasons: {
      IdsNotFound: 'the message names the ids and the lists that they stand in',
      AllFound: 'every id that the spec lists exists',
    },
    alsoCodes: false,
  },
  {
    type: 'Locked',
    whenTrue: 'The API server refuses to evict any pod of a locked role, also while Drover is down.',
    whenFalse: 'Some pods are not covered by the lock; the reason says why.',
    reasons: {
      BudgetsInPlace: 'each locked role has its disruption budget',
      ForeignBudget: 'another disruption budget selects the same pods; the message names it',
      OverlappingGuard:
        'another guard or cluster selects the same pods; the message names it, and the older one keeps them',
      BudgetMissing:
        'a disruption budget could not be made, or not kept as it should be; the message says why. The first pods of a role wait for its budget',
    },
    alsoCodes: false,
  },
] as const satisfies readonly ConditionDefinition[];
export type StatefulClusterConditionType = (typeof statefulClusterConditions)[number]['type'];

/** The conditions of one process group, with what each means. Those with `replaces` make automatic replacement consider it. */
export const processGroupConditions = [
  { type: 'MissingProcesses', replaces: true, means: 'a process is not reporting to the engine' },
  { type: 'PodFailing', replaces: true, means: 'a container of its pod is not ready' },
  { type: 'MissingPod', replaces: true, means: 'it has no pod' },
  { type: 'MissingPVC', replaces: true, means: 'it has no volume claim' },
  { type: 'MissingService', replaces: true, means: 'it has no service, and publicIPSource asks for one' },
  { type: 'PodPending', replaces: true, means: 'its pod is pending' },
  {
    type: 'ProcessIsMarkedAsExcluded',
    replaces: true,
    means: 'the engine has one of its processes excluded, and it is not marked for removal',
  },
  {
    type: 'NodeTaintReplacing',
    replaces: true,
    means: 'a taint has been on its node for its duration; it is marked for removal after taintReplacementTimeSeconds',
  },
  { type: 'NodeTaintDetected', replaces: false, means: 'its node has a taint that taintReplacementOptions names' },
  { type: 'IncorrectPodSpec', replaces: false, means: 'its pod differs from what the spec asks for' },
  { type: 'ResourcesTerminating', replaces: false, means: 'its pod, claim or service is being deleted' },
] as const;
export type ProcessGroupConditionType = (typeof processGroupConditions)[number]['type'];
