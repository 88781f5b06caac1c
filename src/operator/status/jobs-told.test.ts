import { expect, test } from 'vitest';
import type { Action } from '../../model/decision.ts';
import type { Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import { reasons } from '../../model/reasons.ts';
import type { Job } from '../../model/snapshot.ts';
import { at, givenGroup, givenPod } from '../../model/testing/given.ts';
import { givenJob } from '../../model/testing/given-job.ts';
import { jobFor, jobsNeeded, jobsTold } from './jobs-told.ts';

const reason = reasons.cancelled({ group: 'log-1' });

const telling = (act: 'evacuate' | 'cancel-evacuation' | 'forget', group: string): Action => ({
  act,
  group: name(group),
  processes: [],
  addresses: [],
  reason,
});

const told = (act: 'evacuate' | 'cancel-evacuation' | 'forget', group: string, since: number): readonly Job[] => {
  const job = jobFor(telling(act, group), at(since));
  return job === undefined ? [] : [job];
};

/** The eviction of a pod that a budget held, to be tried again two minutes later. */
const refused = (since: number): readonly Job[] => [
  givenJob('log-1', { verb: 'Evict', state: 'Failed', since: at(since), retryAt: at(since + 120) }),
];

const says = ({ verb, group, since }: Job): string => `${verb} ${group} at ${(since - at(0)) / 1000}`;

test.each<[string, Action, readonly string[]]>([
  ['forgotten', telling('forget', 'log-1'), ['Forget log-1 at 5']],
  ['told to keep its data', telling('cancel-evacuation', 'log-1'), ['CancelEvacuation log-1 at 5']],
  ['told to go', telling('evacuate', 'log-1'), ['Evacuate log-1 at 5']],
  [
    'locked again: that is not about the engine',
    { act: 'close', group: name('log-1'), pod: { uid: name<Uid>('u'), resourceVersion: '1' }, reason },
    [],
  ],
])('what is noted of an action: %s', (_, action, expected) => {
  const job = jobFor(action, at(5));
  expect(job === undefined ? [] : [says(job)]).toEqual(expected);
});

test.each<[string, readonly (readonly Job[])[], readonly string[]]>([
  [
    'one row for each process group',
    [told('forget', 'log-1', 5), told('forget', 'log-2', 6)],
    ['Forget log-1 at 5', 'Forget log-2 at 6'],
  ],
  [
    'one row for each thing that it was told',
    [told('cancel-evacuation', 'log-1', 5), told('forget', 'log-1', 6)],
    ['CancelEvacuation log-1 at 5', 'Forget log-1 at 6'],
  ],
  [
    'the last word about a process group, and no second row',
    [told('forget', 'log-1', 5), told('forget', 'log-2', 6), told('forget', 'log-1', 9)],
    ['Forget log-1 at 9', 'Forget log-2 at 6'],
  ],
  [
    'to go, after to stay: the last word',
    [told('cancel-evacuation', 'log-1', 5), told('evacuate', 'log-1', 6)],
    ['Evacuate log-1 at 6'],
  ],
  [
    'to stay, after to go, by a clock that was set back',
    [told('evacuate', 'log-1', 600), told('cancel-evacuation', 'log-1', 5)],
    ['CancelEvacuation log-1 at 5'],
  ],
  [
    'also where the clock was set back in between',
    [told('forget', 'log-1', 600), told('forget', 'log-1', 5), told('forget', 'log-1', 10)],
    ['Forget log-1 at 10'],
  ],
  [
    'rows that an older version wrote twice become one',
    [[...told('forget', 'log-1', 5), ...told('forget', 'log-1', 7)]],
    ['Forget log-1 at 7'],
  ],
])('what the engine was told is kept: %s', (_, rounds, kept) => {
  let recorded: readonly Job[] = [];
  for (const noted of rounds) recorded = jobsTold(recorded, noted);
  expect(recorded.map(says)).toEqual(kept);
});

test.each<[string, readonly Job[], readonly ProcessGroup[], number]>([
  ['forgotten, and its row is there', told('forget', 'log-1', 5), [givenGroup('log-1')], 1],
  ['forgotten, and its row is gone', told('forget', 'log-1', 5), [givenGroup('log-2')], 0],
  [
    'told to keep its data, not settled yet',
    told('cancel-evacuation', 'log-1', 5),
    [givenGroup('log-1', { evacuationAt: at(0) })],
    1,
  ],
  [
    'told to go: the engine shows it itself',
    told('evacuate', 'log-1', 5),
    [givenGroup('log-1', { evacuationAt: at(0) })],
    0,
  ],
  [
    'told to go, and the engine does not list it',
    told('evacuate', 'log-1', 5),
    [givenGroup('log-1', { evacuationAt: at(0), conditions: [{ type: 'MissingProcesses', since: at(0) }] })],
    1,
  ],
  [
    'the same, and drained by now',
    told('evacuate', 'log-1', 5),
    [
      givenGroup('log-1', {
        evacuationAt: at(0),
        drainedAt: at(9),
        conditions: [{ type: 'MissingProcesses', since: at(0) }],
      }),
    ],
    0,
  ],
  ['told to keep its data, and settled', told('cancel-evacuation', 'log-1', 5), [givenGroup('log-1')], 0],
  ['its eviction refused, and its pod is there', refused(5), [givenGroup('log-1')], 1],
  ['its eviction refused, and it has no pod', refused(5), [givenGroup('log-1', { pod: null })], 0],
  [
    'its eviction refused, and it goes after all',
    refused(5),
    [givenGroup('log-1', { pod: givenPod('log-1', { deletingSince: at(6) }) })],
    0,
  ],
  [
    'the eviction of the pod before refused',
    refused(5),
    [givenGroup('log-1', { pod: givenPod('log-1', { createdAt: at(6) }) })],
    0,
  ],
  ['its eviction refused so long ago that nobody tries it any more', refused(-710), [givenGroup('log-1')], 0],
  ['its eviction refused a little less long ago', refused(-709), [givenGroup('log-1')], 1],
  ['its eviction refused in the future, before the clock was set back', refused(11), [givenGroup('log-1')], 0],
])('rows that nobody asks for are dropped: %s', (_, jobs, groups, kept) => {
  expect(jobsNeeded(jobs, groups, at(10))).toHaveLength(kept);
});
