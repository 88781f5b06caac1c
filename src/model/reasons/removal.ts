import { count, duration, list, moment } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant, seconds } from '../time.ts';

/** Why a process group is evacuated, removed or made again, or not yet. */
export const removalReasons = {
  leaving: reason('Leaving', {
    meaning: 'The process group is marked, its successor is up, and its data is being moved away.',
    says: ({ group }: { group: string }) => `${group} is being emptied: it is marked for removal`,
    liftedBy: 'a cancel',
    example: { group: 'storage-4' },
  }),
  recentRecovery: reason('RecentRecovery', {
    meaning:
      'The engine recovered a moment ago; nothing is moved within 120 s of that, and nothing included again within 600 s.',
    says: ({ subject, recoveredAt, due }: { subject: string; recoveredAt: number; due: number }) =>
      `${subject}: the engine recovered at ${moment(instant(recoveredAt))}; it is left alone until ${moment(instant(due))}`,
    liftedBy: 'time',
    until: ({ due }) => instant(due),
    example: {
      subject: 'storage-4 is not evacuated yet',
      recoveredAt: Date.UTC(2026, 10, 15),
      due: Date.UTC(2026, 10, 15, 0, 2),
    },
  }),
  successorNotUp: reason('SuccessorNotUp', {
    meaning: 'Too few processes of the role would be left; the successor is not up yet.',
    says: ({ group, role, serving, need }: { group: string; role: string; serving: number; need: number }) =>
      `${group} is not evacuated yet: ${serving} of ${need} ${role} process groups are serving`,
    liftedBy: 'the successor reporting to the engine',
    example: { group: 'storage-4', role: 'storage', serving: 4, need: 5 },
  }),
  tooFewZones: reason('TooFewZones', {
    meaning: 'Those that stay are in fewer zones than a unit has copies: what is moved would find no place.',
    says: ({ group, role, zones, need }: { group: string; role: string; zones: number; need: number }) =>
      `${group} is not evacuated yet: without it ${role} is in ${count(zones, 'zone')}, and its copies need ${need}`,
    liftedBy:
      'a process of the role in another zone: let pods on a node there, and have one of those replaced that share a zone',
    example: { group: 'storage-4', role: 'storage', zones: 2, need: 3 },
  }),
  successorComing: reason('SuccessorComing', {
    meaning: 'Process groups of the role were made less than 5 min ago, and the engine does not list them yet.',
    says: ({ group, role, coming, due }: { group: string; role: string; coming: readonly string[]; due: number }) =>
      `${group} is not evacuated yet: ${list(coming)} of ${role} ${coming.length === 1 ? 'is' : 'are'} coming up; waited for until ${moment(instant(due))}`,
    liftedBy: 'the engine listing it, or time',
    until: ({ due }) => instant(due),
    example: { group: 'storage-4', role: 'storage', coming: ['storage-9'], due: Date.UTC(2026, 10, 15, 0, 5) },
  }),
  processesMissing: reason('ProcessesMissing', {
    meaning: 'Processes of the role went missing less than 5 min ago; they may be back in a moment.',
    says: ({ group, role, missing, due }: { group: string; role: string; missing: readonly string[]; due: number }) =>
      `${group} is not evacuated yet: ${list(missing)} of ${role} went missing just now; looked at again at ${moment(instant(due))}`,
    liftedBy: 'time, or the processes being back',
    until: ({ due }) => instant(due),
    example: { group: 'storage-4', role: 'storage', missing: ['storage-2'], due: Date.UTC(2026, 10, 15, 0, 5) },
  }),
  isCoordinator: reason('IsCoordinator', {
    meaning: 'The process is a member of a quorum that has to be changed before it leaves.',
    says: ({ group, quorum }: { group: string; quorum: string }) =>
      `${group} is not removed yet: it belongs to ${quorum}; its seat is being given to another process`,
    liftedBy: 'another process taking its place',
    example: { group: 'log-2', quorum: 'the coordinators' },
  }),
  manyGenerations: reason('ManyGenerations', {
    meaning: 'Old generations of the transaction log still hold data, or recoveries follow one another.',
    says: ({ subject, generations, most }: { subject: string; generations: number; most: number }) =>
      `${subject}: ${generations} log generations are active, and more than ${most} is too many`,
    liftedBy: 'the engine having finished its recovery',
    example: { subject: 'storage-4 is not taken for drained', generations: 2, most: 1 },
  }),
  draining: reason('Draining', {
    meaning: 'The engine is moving the data away.',
    says: ({ group, percent, secondsLeft }: { group: string; percent: number | null; secondsLeft: number | null }) =>
      `${group} is being emptied` +
      (percent === null ? '' : `, ${percent} %`) +
      (secondsLeft === null ? '' : `, about ${duration(seconds(secondsLeft))} left`),
    liftedBy: 'the engine confirming that it is empty',
    example: { group: 'storage-4', percent: 62, secondsLeft: 240 },
  }),
  drained: reason('Drained', {
    meaning: 'The engine confirmed that every process of the group holds no data and no role.',
    says: ({ group }: { group: string }) =>
      `${group} is drained: the engine confirms that it holds no data and no role`,
    liftedBy: 'the engine saying otherwise',
    example: { group: 'storage-4' },
  }),
  usedAgain: reason('UsedAgain', {
    meaning: 'The process was drained, and holds data or a role again; someone included it by hand.',
    says: ({ group }: { group: string }) => `${group} is in use again although it was drained; it is emptied once more`,
    liftedBy: 'the engine confirming that it is empty',
    example: { group: 'storage-4' },
  }),
  jobFailed: reason('JobFailed', {
    meaning: 'The engine failed to do what it was told; it is told again.',
    says: ({ group, verb, engineSays, due }: { group: string; verb: string; engineSays: string; due: number }) =>
      `${group}: ${verb} failed: ${engineSays}; tried again at ${moment(instant(due))}`,
    liftedBy: 'the next try',
    until: ({ due }) => instant(due),
    example: { group: 'db-3', verb: 'Evacuate', engineSays: 'timed out', due: Date.UTC(2026, 10, 15, 0, 1) },
  }),
  removed: reason('Removed', {
    meaning: 'The process group is drained, or its role does not ask for that, and everything survives without it.',
    says: ({ group, because }: { group: string; because: string }) => `${group} is removed with its volume: ${because}`,
    liftedBy: 'nothing: from here on it cannot be cancelled',
    example: { group: 'storage-4', because: 'it is drained' },
  }),
  waitBetweenRemovals: reason('WaitBetweenRemovals', {
    meaning: 'The last batch was removed less than waitBetweenRemovalsSeconds ago.',
    says: ({ group, due }: { group: string; due: number }) =>
      `${group} is removed from ${moment(instant(due))} on: removals keep a distance`,
    liftedBy: 'time',
    until: ({ due }) => instant(due),
    example: { group: 'storage-4', due: Date.UTC(2026, 10, 15, 0, 1) },
  }),
  anotherBatch: reason('AnotherBatch', {
    meaning: 'Another batch goes first, as removalMode or deletionMode says.',
    says: ({ group, first }: { group: string; first: string }) => `${group} waits its turn: ${first} goes first`,
    liftedBy: 'the other batch being done',
    example: { group: 'storage-4', first: 'zone a' },
  }),
  removalBlocked: reason('RemovalBlocked', {
    meaning: 'buggify.blockRemoval lists the process group.',
    says: ({ group }: { group: string }) => `${group} is drained and stays: buggify.blockRemoval lists it`,
    liftedBy: 'taking it out of buggify.blockRemoval',
    example: { group: 'storage-4' },
  }),
  terminating: reason('Terminating', {
    meaning: 'The pod, claim or service is being deleted, and has not taken long over it yet.',
    says: ({ group, since }: { group: string; since: number }) =>
      `${group} is being deleted since ${moment(instant(since))}`,
    liftedBy: 'its objects being gone',
    example: { group: 'storage-4', since: Date.UTC(2026, 10, 15) },
  }),
  stuckTerminating: reason('StuckTerminating', {
    meaning:
      'The pod, claim or service has been going for more than a minute and does not go. It stays excluded and holds nothing else up.',
    says: ({ group, since }: { group: string; since: number }) =>
      `${group} has been terminating since ${moment(instant(since))}; it stays excluded until its objects are gone`,
    liftedBy: 'the kubelet finishing, or the node object being deleted',
    example: { group: 'storage-4', since: Date.UTC(2026, 10, 15) },
  }),
  podOutdated: reason('PodOutdated', {
    meaning: 'The pod differs from the spec and is deleted to be made again on its volume.',
    says: ({ group }: { group: string }) => `${group} is made again: its pod differs from the spec`,
    liftedBy: 'the new pod being there',
    example: { group: 'storage-4' },
  }),
  zonesUnavailable: reason('ZonesUnavailable', {
    meaning:
      'More zones have unavailable pods than maxZonesWithUnavailablePods allows, and this one is not among them.',
    says: ({ group, zones, most }: { group: string; zones: readonly string[]; most: number }) =>
      `${group} is not deleted: pods of ${count(zones.length, 'zone')} are unavailable (${list(zones)}), and at most ${most} may be`,
    liftedBy: 'the pods of a zone being available again',
    example: { group: 'storage-4', zones: ['zone a', 'zone b'], most: 1 },
  }),
  placeWanted: reason('PlaceWanted', {
    meaning:
      'A pod is not deleted to be made again, because another one of its role waits for a place and would take this one, to which the data is tied.',
    says: ({ group, other }: { group: string; other: string }) =>
      `${group} is not deleted yet: ${other} waits for a place and would take its node, and its data is tied to that`,
    liftedBy: 'the other pod finding a place, or leaving',
    example: { group: 'storage-4', other: 'storage-9' },
  }),
  placeLeft: reason('PlaceLeft', {
    meaning:
      'A pod is not deleted to be made again, because its node is cordoned, or somebody wants the pod gone: its data is tied to that node, and it could not come back.',
    says: ({ group, node }: { group: string; node: string }) =>
      `${group} is not deleted to be made again: ${node} is to be left, its data is tied to that, and it could not come back`,
    liftedBy: 'the pod leaving, or the node being uncordoned and nobody asking any more',
    example: { group: 'storage-4', node: 'n3' },
  }),
  notBack: reason('NotBack', {
    meaning:
      'A pod is not deleted to be made again, because one that went before it does not serve again: what the spec asks for may not be able to run.',
    says: ({ group, other, since }: { group: string; other: string; since: number | null }) =>
      since === null
        ? `${group} keeps its old pod: that of ${other} went first, and is not made again yet`
        : `${group} keeps its old pod: that of ${other} was made again as the spec has it at ${moment(instant(since))}, and does not serve yet`,
    liftedBy: 'the other pod coming up, or another spec',
    example: { group: 'storage-4', other: 'storage-2', since: Date.UTC(2026, 10, 15, 0, 1, 30) },
  }),
  podsSettling: reason('PodsSettling', {
    meaning: 'A pod went away or came up moments ago, and the engine has not noticed yet.',
    says: ({ subject, other, due }: { subject: string; other: string; due: number }) =>
      `${subject}: ${other} changed a moment ago and the engine may not have noticed; looked at again at ${moment(instant(due))}`,
    liftedBy: 'time',
    until: ({ due }) => instant(due),
    example: { subject: 'storage-4 is not deleted yet', other: 'storage-2', due: Date.UTC(2026, 10, 15, 0, 1, 30) },
  }),
  maintenanceOn: reason('MaintenanceOn', {
    meaning: 'The engine is told that a zone will be away for a while, so that it does not move its data.',
    says: ({ zone, until }: { zone: string; until: number }) =>
      `${zone} is under maintenance until ${moment(instant(until))}`,
    liftedBy: 'the pods of the zone being back, or time',
    until: ({ until }) => instant(until),
    example: { zone: 'zone b', until: Date.UTC(2026, 10, 15, 0, 10) },
  }),
  maintenanceElsewhere: reason('MaintenanceElsewhere', {
    meaning: 'Another zone is under maintenance, and only one can be.',
    says: ({ group, zone, until }: { group: string; zone: string; until: number }) =>
      `${group} waits: ${zone} is under maintenance until ${moment(instant(until))}, and only one zone can be`,
    liftedBy: 'the end of that maintenance',
    until: ({ until }) => instant(until),
    example: { group: 'storage-4', zone: 'zone b', until: Date.UTC(2026, 10, 15, 0, 10) },
  }),
  maintenancePending: reason('MaintenancePending', {
    meaning: 'The engine was told of the maintenance and has not confirmed it yet.',
    says: ({ group, zone }: { group: string; zone: string }) =>
      `${group} waits until the engine confirms the maintenance of ${zone}`,
    liftedBy: 'the engine confirming it',
    example: { group: 'storage-4', zone: 'zone b' },
  }),
  maintenanceOver: reason('MaintenanceOver', {
    meaning: 'The pods of the zone are back, or the time of the maintenance is over.',
    says: ({ zone, because }: { zone: string; because: string }) => `the maintenance of ${zone} ends: ${because}`,
    liftedBy: 'the engine confirming it',
    example: { zone: 'zone b', because: 'its pods are back' },
  }),
  notCaughtUp: reason('NotCaughtUp', {
    meaning: 'The pods are back, and the engine is still catching up.',
    says: ({ zone }: { zone: string }) => `the maintenance of ${zone} goes on: its pods are back and still catching up`,
    liftedBy: 'the engine having caught up',
    example: { zone: 'zone b' },
  }),
  includedAgain: reason('IncludedAgain', {
    meaning: 'The objects of the process group are gone; the engine may forget that it was excluded.',
    says: ({ group }: { group: string }) => `${group} is gone; the engine is told to forget it`,
    liftedBy: 'the engine having forgotten it',
    example: { group: 'storage-4' },
  }),
};
