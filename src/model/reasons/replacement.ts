import { count, list, moment, wantedBy } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant } from '../time.ts';

/** Why process groups are marked for removal, unmarked, added, or not yet. */
export const replacementReasons = {
  failed: reason('Failed', {
    meaning: 'The process group has failed for as long as failureDetectionTimeSeconds says.',
    says: ({ group, condition, since }: { group: string; condition: string; since: number }) =>
      `${group} is replaced: ${condition} since ${moment(instant(since))}`,
    liftedBy: 'a cancel',
    example: { group: 'storage-4', condition: 'MissingProcesses', since: Date.UTC(2026, 10, 15) },
  }),
  failureTooYoung: reason('FailureTooYoung', {
    meaning: 'The process group fails, and not for long enough yet.',
    says: ({ group, condition, due }: { group: string; condition: string; since: number; due: number }) =>
      `${group} has ${condition}; it is replaced at ${moment(instant(due))} unless it recovers`,
    liftedBy: 'time, or the process group recovering',
    until: ({ due }) => instant(due),
    example: {
      group: 'storage-4',
      condition: 'PodFailing',
      since: Date.UTC(2026, 10, 15),
      due: Date.UTC(2026, 10, 15, 2),
    },
  }),
  replacementCap: reason('ReplacementCap', {
    meaning: 'As many replacements are in flight as automatic replacement allows.',
    says: ({ group, inFlight, cap }: { group: string; inFlight: number; cap: number }) =>
      `${group} waits to be replaced: ${inFlight} of at most ${cap} in flight`,
    liftedBy: 'one of those in flight being drained',
    example: { group: 'storage-4', inFlight: 1, cap: 1 },
  }),
  tainted: reason('Tainted', {
    meaning: 'A taint has been on the node for its duration and taintReplacementTimeSeconds on top.',
    says: ({ group, node, keys }: { group: string; node: string; keys: readonly string[] }) =>
      `${group} is replaced: ${node} ${keys.length > 0 ? `is tainted with ${list(keys)}` : 'was tainted for long enough'}`,
    liftedBy: 'a cancel',
    example: { group: 'storage-4', node: 'n3', keys: ['example.com/maintenance'] },
  }),
  taintTooYoung: reason('TaintTooYoung', {
    meaning: 'A matching taint is on the node, and not for its duration yet.',
    says: ({ group, key, due }: { group: string; key: string; due: number }) =>
      `${group} is on a node tainted with ${key}; it is to be replaced from ${moment(instant(due))} on`,
    liftedBy: 'time, or the taint going away',
    until: ({ due }) => instant(due),
    example: { group: 'storage-4', key: 'example.com/maintenance', due: Date.UTC(2026, 10, 15, 1) },
  }),
  taintHold: reason('TaintHold', {
    meaning: 'The process group is to be replaced because of a taint, and taintReplacementTimeSeconds is not over.',
    says: ({ group, due }: { group: string; due: number }) =>
      `${group} is to be replaced because of a taint, at ${moment(instant(due))}; only a cancel stops that`,
    liftedBy: 'time, or a cancel',
    until: ({ due }) => instant(due),
    example: { group: 'storage-4', due: Date.UTC(2026, 10, 15, 1, 30) },
  }),
  taintIgnored: reason('TaintIgnored', {
    meaning: 'The taint is reported and never makes anything be replaced.',
    says: ({ group, key }: { group: string; key: string }) =>
      `${group} is on a node tainted with ${key}, which is ignored`,
    liftedBy: 'another duration for the key',
    example: { group: 'storage-4', key: 'example.com/ignored' },
  }),
  taintBrake: reason('TaintBrake', {
    meaning: 'More zones carry a matching taint than maxFaultDomainsWithTaintedProcessGroups allows: a mass event.',
    says: ({ group, zones, limit }: { group: string; zones: number; limit: number }) =>
      `${group} is not replaced for its taint: ${count(zones, 'zone')} are tainted at once, and more than ${limit} is taken for a mass event`,
    liftedBy: 'fewer tainted zones',
    example: { group: 'storage-4', zones: 3, limit: 1 },
  }),
  nodesUnreadable: reason('NodesUnreadable', {
    meaning:
      'Nodes cannot be read. Where taintReplacementOptions is set, what was known of taints stays as it was; a NodeDrain does nothing until they can.',
    says: () => 'taints are not looked at: nodes cannot be read',
    liftedBy:
      'the right to get, list and watch nodes (and to patch them, for NodeDrains), or empty taintReplacementOptions',
    example: {},
  }),
  quotasUnreadable: reason('QuotasUnreadable', {
    meaning: 'Quotas cannot be read, so clusters that share one cannot take turns and may block one another.',
    says: ({ subject, why }: { subject: string; why: string }) =>
      `${subject} does not take turns with clusters that share its quotas: ${why}`,
    liftedBy: 'the right to get, list and watch resourcequotas',
    example: { subject: 'db/orders', why: 'not allowed to read resourcequotas' },
  }),
  crashLoopOnPurpose: reason('CrashLoopOnPurpose', {
    meaning: 'buggify.crashLoop lists the process group.',
    says: ({ group }: { group: string }) => `${group} fails on purpose (buggify.crashLoop) and is not replaced`,
    liftedBy: 'taking it out of buggify.crashLoop',
    example: { group: 'storage-4' },
  }),
  monitorConfEmpty: reason('MonitorConfEmpty', {
    meaning: 'buggify.emptyMonitorConf is set: nothing is replaced automatically.',
    says: () => 'nothing is replaced automatically: buggify.emptyMonitorConf is set',
    liftedBy: 'unsetting buggify.emptyMonitorConf',
    example: {},
  }),
  underMaintenance: reason('UnderMaintenance', {
    meaning:
      'The zone of the process group is under maintenance, so that it is expected to be away, and a taint on its node to be part of it.',
    says: ({ group, zone, until }: { group: string; zone: string; until: number }) =>
      `${group} is not replaced: ${zone} is under maintenance until ${moment(instant(until))}`,
    liftedBy: 'the end of the maintenance',
    until: ({ until }) => instant(until),
    example: { group: 'storage-4', zone: 'zone b', until: Date.UTC(2026, 10, 15, 0, 10) },
  }),
  misconfigured: reason('Misconfigured', {
    meaning: 'The spec changed in a way that only a replacement can follow.',
    says: ({ group, changes }: { group: string; changes: readonly string[] }) =>
      `${group} is replaced: ${list(changes)} changed`,
    liftedBy: 'a cancel, or the old spec',
    example: { group: 'storage-4', changes: ['the volume claim'] },
  }),
  misconfiguredCap: reason('MisconfiguredCap', {
    meaning: 'As many replacements are in flight as automationOptions.maxConcurrentReplacements allows.',
    says: ({ group, inFlight, cap }: { group: string; inFlight: number; cap: number }) =>
      `${group} waits to be replaced for its new spec: ${inFlight} of at most ${cap} in flight`,
    liftedBy: 'one of those in flight being drained',
    example: { group: 'storage-4', inFlight: 2, cap: 2 },
  }),
  requested: reason('Requested', {
    meaning: 'processGroupsToRemove lists the process group.',
    says: ({ group }: { group: string }) => `${group} is replaced: processGroupsToRemove lists it`,
    liftedBy: 'a cancel',
    example: { group: 'storage-4' },
  }),
  requestedWithoutExclusion: reason('RequestedWithoutExclusion', {
    meaning: 'processGroupsToRemoveWithoutExclusion lists the process group: it goes undrained, and data can be lost.',
    says: ({ group }: { group: string }) =>
      `${group} is removed WITHOUT being drained: processGroupsToRemoveWithoutExclusion lists it`,
    liftedBy: 'a cancel, until its objects are being deleted',
    example: { group: 'storage-4' },
  }),
  evicted: reason('Evicted', {
    meaning: 'Someone wants the pod gone, and its role leaves by replacement.',
    says: ({ group, by, drains }: { group: string; by: string; drains: string | null }) =>
      `${group} is replaced: ${wantedBy(by, drains)}`,
    liftedBy: 'nobody asking any more',
    example: { group: 'storage-4', by: 'jane', drains: null },
  }),
  shrink: reason('Shrink', {
    meaning: 'There are more process groups than the spec asks for, and this one was chosen.',
    says: ({
      group,
      role,
      have,
      want,
      because,
    }: {
      group: string;
      role: string;
      have: number;
      want: number;
      because: string;
    }) => `${group} is removed: ${have} ${role} process groups instead of ${want}, and ${because}`,
    liftedBy: 'a higher count, or a cancel',
    example: { group: 'storage-4', role: 'storage', have: 5, want: 4, because: 'zone a has the most' },
  }),
  grow: reason('Grow', {
    meaning: 'There are fewer process groups than the spec asks for; those that are marked do not count.',
    says: ({ group, role, have, want }: { group: string; role: string; have: number; want: number }) =>
      `${group} is added: ${have} ${role} process groups instead of ${want}`,
    liftedBy: 'the process group being there',
    example: { group: 'storage-6', role: 'storage', have: 4, want: 5 },
  }),
  oneMoreElsewhere: reason('OneMoreElsewhere', {
    meaning:
      'Those that stay share zones, so that another one, which has to go, cannot: one more is made for as long as that takes.',
    says: ({ group, role, zones, need }: { group: string; role: string; zones: number; need: number }) =>
      `${group} is added for a while: those of ${role} that stay are in ${count(zones, 'zone')}, and its copies need ${need}`,
    liftedBy: 'the process group being there',
    example: { group: 'storage-6', role: 'storage', zones: 2, need: 3 },
  }),
  objectMissing: reason('ObjectMissing', {
    meaning: 'The process group lacks its pod, claim or service.',
    says: ({ group, what }: { group: string; what: string }) => `${group} gets its ${what}`,
    liftedBy: 'the object being there',
    example: { group: 'storage-4', what: 'pod' },
  }),
  objectTerminating: reason('ObjectTerminating', {
    meaning: 'An old object of the same name is still going; the new one is made when it is gone.',
    says: ({ group, what }: { group: string; what: string }) =>
      `${group} gets a new ${what} when the old one, which is being deleted, is gone`,
    liftedBy: 'the old object being gone',
    example: { group: 'storage-4', what: 'pod' },
  }),
  objectRefused: reason('ObjectRefused', {
    meaning:
      'The API server, a policy or a webhook of the cluster refuses an object of the process group; it is tried again.',
    says: ({ subject, serverSays, due }: { subject: string; serverSays: string; due: number }) =>
      `${subject}: the API server refuses it: ${serverSays}; tried again at ${moment(instant(due))}`,
    liftedBy: 'whoever refuses it letting it in, or a spec that it lets in',
    until: ({ due }) => instant(due),
    example: {
      subject: 'storage-6 is not created',
      serverSays: 'pods "orders-storage-6" is forbidden: violates PodSecurity "restricted:latest"',
      due: Date.UTC(2026, 10, 15, 0, 1),
    },
  }),
  budgetMissing: reason('BudgetMissing', {
    meaning:
      'The disruption budget that locks the pods of a role could not be made. As long as none of them has ever been there none is made; where there are some already, they can be evicted by anyone while Drover is down.',
    says: ({ subject, budgets, serverSays }: { subject: string; budgets: readonly string[]; serverSays: string }) =>
      `${subject}: the API server refuses ${budgets.length === 1 ? 'the budget' : 'the budgets'} ${list(budgets, 5)}: ${serverSays}; next: change the quota, policy or permission that refuses it; it is tried with every look`,
    liftedBy:
      'the API server taking the budget: room in the quota, a policy that lets it in, or the permissions of deploy/rbac.yaml',
    example: {
      subject: 'storage-6 is not created, because nothing would lock it',
      budgets: ['drover-cluster-orders.storage'],
      serverSays: 'exceeded quota: objects (403)',
    },
  }),
  noRoom: reason('NoRoom', {
    meaning: 'The successor of the process group would find no room, so its replacement is not started.',
    says: ({ group, why }: { group: string; why: string }) =>
      `${group} is not replaced yet: there is no room for its successor: ${why}`,
    liftedBy: 'room: more quota, more nodes, or another replacement being finished',
    example: { group: 'storage-4', why: 'exceeded quota: compute-resources' },
  }),
  unschedulable: reason('Unschedulable', {
    meaning: 'The pod of a new process group finds no node.',
    says: ({ group, schedulerSays }: { group: string; schedulerSays: string }) =>
      `${group} cannot be placed: ${schedulerSays}`,
    liftedBy: 'a node that takes the pod',
    example: { group: 'storage-6', schedulerSays: '0/6 nodes are available: 6 Insufficient cpu.' },
  }),
  podBroken: reason('PodBroken', {
    meaning: 'A container of its pod does not start, or does not stay: a mistyped image, a missing secret, a crash.',
    says: ({ group, kubeletSays }: { group: string; kubeletSays: string }) =>
      `${group} does not come up: ${kubeletSays}`,
    liftedBy: 'the container coming up; a template that works is rolled out to it at once',
    example: { group: 'storage-6', kubeletSays: 'the image foundationdb:7.3.36 of foundationdb cannot be pulled' },
  }),
  quotaFull: reason('QuotaFull', {
    meaning: 'A quota of the namespace is used up.',
    says: ({ group, serverSays }: { group: string; serverSays: string }) => `${group} cannot be created: ${serverSays}`,
    liftedBy: 'a higher quota, or something else being removed',
    example: { group: 'storage-6', serverSays: 'exceeded quota: compute-resources' },
  }),
  cancelled: reason('Cancelled', {
    meaning: 'cancelReplacementsForInstance lists the process group.',
    says: ({ group }: { group: string }) => `${group} stays: cancelReplacementsForInstance lists it`,
    liftedBy: 'taking it out of the list',
    example: { group: 'storage-4' },
  }),
  tooLateToCancel: reason('TooLateToCancel', {
    meaning: 'cancelReplacementsForInstance lists a process group whose pod and volume are already being deleted.',
    says: ({ group, removingAt }: { group: string; removingAt: number }) =>
      `${group} cannot be kept: its pod and volume have been going since ${moment(instant(removingAt))}`,
    liftedBy: 'nothing: its removal ends, and its successor stays',
    example: { group: 'storage-4', removingAt: Date.UTC(2026, 10, 15) },
  }),
  notAskedAnyMore: reason('NotAskedAnyMore', {
    meaning: 'The replacement was begun for an eviction that nobody wants any more.',
    says: ({ group, lastAsked }: { group: string; lastAsked: number }) =>
      `${group} stays: nobody has asked for it to go since ${moment(instant(lastAsked))}`,
    liftedBy: 'a new eviction',
    example: { group: 'storage-4', lastAsked: Date.UTC(2026, 10, 15) },
  }),
  conflictingRequests: reason('ConflictingRequests', {
    meaning: 'The spec asks one process group both to stay and to go. Nothing is done about it.',
    says: ({ group, other }: { group: string; other: string }) =>
      `${group} is listed in cancelReplacementsForInstance, and ${other}; nothing is done until one of them gives way`,
    liftedBy: 'changing one of the two',
    example: { group: 'storage-4', other: 'processGroupsToRemove lists it too' },
  }),
  unknownProcessGroup: reason('UnknownProcessGroup', {
    meaning: 'A list of the spec names a process group that does not exist.',
    says: ({ id, list: where }: { id: string; list: string }) => `${where} lists ${id}, which does not exist: ignored`,
    liftedBy: 'correcting the list',
    example: { id: 'storage-99', list: 'processGroupsToRemove' },
  }),
  nodeUnknown: reason('NodeUnknown', {
    meaning: 'The node of the pod does not exist any more, or cannot be read.',
    says: ({ group, node }: { group: string; node: string }) =>
      `${group} is on ${node}, which does not exist: taken for lost`,
    liftedBy: 'the node being there again, or the pod being gone',
    example: { group: 'storage-4', node: 'n3' },
  }),
};
