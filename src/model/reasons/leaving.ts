import { count, list, moment, wantedBy } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant } from '../time.ts';

/** Why a pod is emptied, let go or closed again for someone who asked, and what becomes of that when nobody does. */
export const leavingReasons = {
  emptiedForDrain: reason('EmptiedForDrain', {
    meaning: 'Someone wants the pod gone, and its role or the drain policy says that its data moves away first.',
    says: ({
      group,
      by,
      drains,
      copies,
      avoid,
    }: {
      group: string;
      by: string;
      drains: string | null;
      copies: number | null;
      avoid: readonly string[];
    }) =>
      `${group} is being emptied: ${wantedBy(by, drains)}; ${copies === null ? 'all that it holds moves' : count(copies, 'copy moves', 'copies move')} away` +
      (avoid.length > 0 ? `, not to ${list(avoid)}` : ''),
    liftedBy: 'the data having moved, or nobody asking any more',
    example: { group: 'im-a', by: 'jane', drains: null, copies: 2, avoid: ['node-b'] },
  }),
  anotherEmptied: reason('AnotherEmptied', {
    meaning: 'Pods that somebody else owns have no successors, so that one of them is emptied at a time.',
    says: ({ group, first }: { group: string; first: string }) =>
      `${group} is not emptied yet: ${first} is being emptied, and they are emptied one at a time`,
    liftedBy: 'the other one being empty, or nobody wanting it gone any more',
    example: { group: 'fdb-storage-2', first: 'fdb-storage-1' },
  }),
  evacuationCancelled: reason('EvacuationCancelled', {
    meaning:
      'Nobody wants the pod gone any more, or the policy changed: its data stays. Copies that were begun elsewhere stay too.',
    says: ({ group, because, leftovers }: { group: string; because: string; leftovers: readonly string[] }) =>
      `${group} keeps its data: ${because}` +
      (leftovers.length > 0 ? `; the copy that was begun elsewhere stays: ${list(leftovers)}` : ''),
    liftedBy: 'a new drain',
    example: { group: 'im-a', because: 'nobody wants it gone any more', leftovers: ['volume pvc-1'] },
  }),
  grantUnused: reason('GrantUnused', {
    meaning: 'The pod was let go and nobody took it away within 10 s: its lock closes again.',
    says: ({ group, grantedAt }: { group: string; grantedAt: number }) =>
      `${group} was let go at ${moment(instant(grantedAt))} and is still there: its lock closes again`,
    liftedBy: 'the next eviction',
    example: { group: 'db-3', grantedAt: Date.UTC(2026, 10, 15) },
  }),
  grantClosed: reason('GrantClosed', {
    meaning:
      'The lock of the pod was closed again. Its eviction may still be on its way, so that it counts as gone for 60 s.',
    says: ({ group, closedAt, due }: { group: string; closedAt: number; due: number }) =>
      `the lock of ${group} closed again at ${moment(instant(closedAt))}; it may be let go once more from ${moment(instant(due))} on`,
    liftedBy: 'time',
    until: ({ due }) => instant(due),
    example: { group: 'db-3', closedAt: Date.UTC(2026, 10, 15), due: Date.UTC(2026, 10, 15, 0, 1) },
  }),
  allAtOnce: reason('AllAtOnce', {
    meaning: 'deletionMode is All: the pod is deleted together with all others that differ, and no rule is asked.',
    says: ({ group }: { group: string }) =>
      `${group} is made again at once with all others that differ from the spec: deletionMode is All, so no rule is asked`,
    liftedBy: 'another deletionMode',
    example: { group: 'storage-4' },
  }),
  madeAgainEmpty: reason('MadeAgainEmpty', {
    meaning: 'The old pod and its volume are gone; the successor takes over the identity with an empty disk.',
    says: ({ group }: { group: string }) => `${group} is made again under its own name, with an empty disk`,
    liftedBy: 'the new pod being there',
    example: { group: 'agent-2' },
  }),
};
