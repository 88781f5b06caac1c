import type { Force } from '../forced.ts';
import { forcedInWords } from '../forced.ts';
import { count, list, moment } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant } from '../time.ts';

/** Why a process may not go: agreement, availability, and what nobody knows. */
export const agreementReasons = {
  quorumLeader: reason('QuorumLeader', {
    meaning: 'The process leads a quorum, and its role may only go when it does not.',
    says: ({ group, quorum }: { group: string; quorum: string }) => `${group} stays: it leads ${quorum}`,
    liftedBy: 'another member becoming the leader',
    example: { group: 'agent-2', quorum: 'the agency' },
  }),
  noQuorumLeader: reason('NoQuorumLeader', {
    meaning: 'A quorum has no leader that responds.',
    says: ({ group, quorum }: { group: string; quorum: string }) =>
      `${group} stays: ${quorum} has no leader that responds`,
    liftedBy: 'the quorum electing a leader',
    example: { group: 'agent-2', quorum: 'the agency' },
  }),
  noOtherFollower: reason('NoOtherFollower', {
    meaning: 'No follower of the quorum responds besides the process itself.',
    says: ({ group, quorum }: { group: string; quorum: string }) =>
      `${group} stays: no follower of ${quorum} responds besides itself`,
    liftedBy: 'another follower responding again',
    example: { group: 'agent-2', quorum: 'the agency' },
  }),
  deadSeat: reason('DeadSeat', {
    meaning:
      'A member of a quorum is gone for good or has another address, and its seat is given to a process that answers.',
    says: ({ quorum, members }: { quorum: string; members: readonly string[] }) =>
      `nobody answers for ${list(members)} in ${quorum}: others take ${members.length === 1 ? 'the seat' : 'the seats'}`,
    liftedBy: 'the engine having moved the seat',
    example: { quorum: 'the coordinators', members: ['10.1.0.7:4501'] },
  }),
  crowdedSeats: reason('CrowdedSeats', {
    meaning:
      'Members of a quorum are in one zone, which would take more than one of them away, and other zones have none.',
    says: ({ quorum, members }: { quorum: string; members: readonly string[] }) =>
      `${list(members)} ${members.length === 1 ? 'is' : 'are'} not the only one of ${quorum} in the zone: another zone takes ${members.length === 1 ? 'the seat' : 'the seats'}`,
    liftedBy: 'the engine having moved the seat',
    example: { quorum: 'the coordinators', members: ['storage-14'] },
  }),
  seatIsKept: reason('SeatIsKept', {
    meaning:
      'Everything is deleted at once, and this pod waits: its seat in a quorum would not come back with it, and a majority of the seats has to stay.',
    says: ({ group, quorum }: { group: string; quorum: string }) =>
      `${group} is not deleted yet: its seat in ${quorum} does not come back with its pod, and a majority has to stay`,
    liftedBy: 'the seats of those that went being given to others',
    example: { group: 'storage-4', quorum: 'the coordinators' },
  }),
  seatStays: reason('SeatStays', {
    meaning:
      'A seat on which nobody answers is not moved yet, because something changed a moment ago and may come back.',
    says: ({
      quorum,
      members,
      other,
      due,
    }: {
      quorum: string;
      members: readonly string[];
      other: string;
      due: number;
    }) =>
      `nobody answers for ${list(members)} in ${quorum}; ${other} changed a moment ago, so the seat is kept until ${moment(instant(due))}`,
    liftedBy: 'time',
    until: ({ due }) => instant(due),
    example: {
      quorum: 'the coordinators',
      members: ['10.1.0.7:4501'],
      other: 'storage-2',
      due: Date.UTC(2026, 10, 15, 0, 1, 30),
    },
  }),
  quorumAtRisk: reason('QuorumAtRisk', {
    meaning:
      'Without the process, and without those that were already let go, too few members of a quorum would be left.',
    says: ({
      group,
      quorum,
      left,
      needed,
      missing,
    }: {
      group: string;
      quorum: string;
      left: number;
      needed: number;
      missing: readonly string[];
    }) =>
      `${group} stays: ${quorum} needs ${needed} members and would have ${left}` +
      (missing.length > 0 ? ` (not counted: ${list(missing)})` : ''),
    liftedBy: 'another member responding and getting level',
    example: { group: 'etcd-1', quorum: 'the etcd cluster', left: 1, needed: 2, missing: ['etcd-0: let go'] },
  }),
  notFollower: reason('NotFollower', {
    meaning: 'The process leads, and only followers may go.',
    says: ({ group }: { group: string }) => `${group} stays: it is the leader; a follower is asked to take over first`,
    liftedBy: 'a follower taking over',
    example: { group: 'single-1' },
  }),
  notFullyReplicated: reason('NotFullyReplicated', {
    meaning: 'Some unit has fewer copies than it should have.',
    says: ({ subject }: { subject: string }) => `${subject}: the engine is not fully replicated`,
    liftedBy: 'the engine having made all copies',
    example: { subject: 'storage-4 stays' },
  }),
  toleranceLacking: reason('ToleranceLacking', {
    meaning: 'The logs or the coordinators of the engine bear fewer failures than its redundancy asks for.',
    says: ({ subject, lacks }: { subject: string; lacks: readonly string[] }) =>
      `${subject}: the engine bears less than it is set to: ${list(lacks)}`,
    liftedBy: 'the engine regaining its fault tolerance',
    example: { subject: 'storage-4 is not removed yet', lacks: ['its logs bear the loss of 0 zones, not of 1'] },
  }),
  noZoneToSpare: reason('NoZoneToSpare', {
    meaning: 'The engine says that no further zone may fail.',
    says: ({ group, zones }: { group: string; zones: number }) =>
      `${group} stays: the engine can bear the loss of ${count(zones, 'zone')}, and this would be one`,
    liftedBy: 'the engine regaining its fault tolerance',
    example: { group: 'storage-4', zones: 0 },
  }),
  otherZoneDown: reason('OtherZoneDown', {
    meaning: 'Processes of another zone are down or were let go.',
    says: ({ group, zones }: { group: string; zones: readonly string[] }) =>
      `${group} stays: ${list(zones)} ${zones.length === 1 ? 'is' : 'are'} down or just let go`,
    liftedBy: 'the processes of that zone being back',
    example: { group: 'storage-4', zones: ['zone b'] },
  }),
  notListedYet: reason('NotListedYet', {
    meaning: 'A process of another zone came up and may be given data, and the engine does not tell of it yet.',
    says: ({ group, others }: { group: string; others: readonly string[] }) =>
      `${group} stays: ${list(others)} came up, and the engine does not list ${others.length === 1 ? 'it' : 'them'} yet`,
    liftedBy: 'the engine listing it',
    example: { group: 'storage-4', others: ['storage-9'] },
  }),
  beganAnew: reason('BeganAnew', {
    meaning: 'A process of another zone began anew a moment ago: if its disk is lost, the engine has not noticed yet.',
    says: ({ group, other, due }: { group: string; other: string; due: number }) =>
      `${group} stays: ${other} began anew a moment ago, and by ${moment(instant(due))} the engine knows what it still holds`,
    liftedBy: 'time',
    until: ({ due }) => instant(due),
    example: { group: 'storage-4', other: 'storage-2', due: Date.UTC(2026, 10, 15, 0, 1, 30) },
  }),
  restOfRoleDown: reason('RestOfRoleDown', {
    meaning: 'No other process of the role would be serving.',
    says: ({ group, role }: { group: string; role: string }) => `${group} stays: no other ${role} process is serving`,
    liftedBy: 'another process of the role serving',
    example: { group: 'stateless-2', role: 'stateless' },
  }),
  oldPodPresent: reason('OldPodPresent', {
    meaning: 'The successor takes over the identity, so the old pod must be known to be gone.',
    says: ({ group }: { group: string }) => `${group} keeps its identity: its pod is not known to be gone`,
    liftedBy: 'the pod being deleted',
    example: { group: 'agent-2' },
  }),
  neverEvicted: reason('NeverEvicted', {
    meaning: 'The role has only this one process: taking it away takes the service away.',
    says: ({ group, role }: { group: string; role: string }) =>
      `${group} stays: pods of the role ${role} are never evicted; stop the service, or force this pod by name`,
    liftedBy: 'nothing: a person decides, with drover.dev/force',
    example: { group: 'single-1', role: 'single' },
  }),
  neverReplaced: reason('NeverReplaced', {
    meaning: 'The role cannot be replaced: its data exists only once.',
    says: ({ group, role }: { group: string; role: string }) =>
      `${group} is not replaced: pods of the role ${role} never are`,
    liftedBy: 'nothing',
    example: { group: 'single-1', role: 'single' },
  }),
  factUnknown: reason('FactUnknown', {
    meaning: 'Something that the rule needs to know is not known. Unknown is never yes.',
    says: ({ group, missing }: { group: string; missing: string }) => `${group} stays: it is not known ${missing}`,
    liftedBy: 'a whole answer of the engine',
    example: { group: 'db-3', missing: 'whether db-1 responds' },
  }),
  noSuchRole: reason('NoSuchRole', {
    meaning: 'The engine has no rule for the role.',
    says: ({ group, role }: { group: string; role: string }) => `${group} stays: there is no rule for the role ${role}`,
    liftedBy: 'a role that the engine knows',
    example: { group: 'x-1', role: 'x' },
  }),
  engineUnreachable: reason('EngineUnreachable', {
    meaning: 'The engine cannot be read, or gives no whole answer.',
    says: ({ subject, why, since }: { subject: string; why: string; since: number }) =>
      `${subject}: the engine has not answered since ${moment(instant(since))}: ${why}`,
    liftedBy: 'the engine answering',
    example: { subject: 'db-3 stays', why: 'connection refused', since: Date.UTC(2026, 10, 15) },
  }),
  engineUnavailable: reason('EngineUnavailable', {
    meaning: 'The engine answers, and says that it does not serve.',
    says: ({ subject }: { subject: string }) => `${subject}: the engine does not serve requests`,
    liftedBy: 'the engine serving again',
    example: { subject: 'storage-4 is not marked' },
  }),
  viewTooOld: reason('ViewTooOld', {
    meaning: 'The engine was last read too long ago, or before the last grant, to let something go.',
    says: ({ group, observedAt }: { group: string; observedAt: number }) =>
      `${group} stays: the engine was last read at ${moment(instant(observedAt))}; it is being read again`,
    liftedBy: 'a fresh observation',
    example: { group: 'db-3', observedAt: Date.UTC(2026, 10, 15) },
  }),
  anotherGranted: reason('AnotherGranted', {
    meaning: 'Another pod of the cluster was let go, and its result is not seen yet.',
    says: ({ group, granted }: { group: string; granted: string }) =>
      `${group} stays for now: ${granted} was just let go, and they go one at a time`,
    liftedBy: 'the engine showing the result, or the grant being closed',
    example: { group: 'db-2', granted: 'db-1' },
  }),
  forced: reason('Forced', {
    meaning:
      'A person named this pod to be let go in spite of the rules. The annotation does not say who: the audit log of the API server does.',
    says: ({ group, ...force }: { group: string; why: string; source: Force['source']; by: string }) =>
      `${group} may go: ${forcedInWords(force)}`,
    liftedBy: 'the annotation drover.dev/force being removed',
    example: { group: 'db-3', why: 'the disk is dead anyway', source: 'Eviction', by: 'jane' },
  }),
  ruleHolds: reason('RuleHolds', {
    meaning: 'Every rule agrees.',
    says: ({ group, by }: { group: string; by: string }) => `${group} goes: ${by} asked, and every rule agrees`,
    liftedBy: 'a rule that no longer holds, until the pod is gone',
    example: { group: 'db-3', by: 'jane' },
  }),
};
