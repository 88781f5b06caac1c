import { expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import { at, givenGroup } from '../../model/testing/given.ts';
import { runningJobs } from './running-jobs.ts';

const job = (given: Partial<Job> = {}): Job => ({
  verb: 'Evacuate',
  group: name('storage-1'),
  state: 'Running',
  since: at(-7),
  attempts: 1,
  retryAt: null,
  message: 'moving',
  percent: 42,
  secondsLeft: null,
  ...given,
});
const emptied = [givenGroup('storage-1', { evacuationAt: at(-60) })];

test.each<[string, readonly Job[], number | undefined]>([
  ['in steps of five', [job()], 40],
  ['at its beginning', [job({ percent: 4 })], 0],
  ['not said how far', [job({ percent: null })], undefined],
  ['something else', [job({ verb: 'HandOff' })], undefined],
  ['done', [job({ state: 'Done' })], undefined],
  ['of another one', [job({ group: name('storage-2') })], undefined],
])('how far the engine is: %s', (_, jobs, percent) => {
  expect(runningJobs(jobs, emptied)[0]?.percent).toBe(percent);
});

test('since it was told to, whatever the engine says', () => {
  expect(runningJobs([job()], emptied)).toMatchObject([{ since: at(-60), message: '' }]);
});

test('what nobody told the engine to empty is not ours to tell of', () => {
  expect(runningJobs([job()], [givenGroup('storage-1')])).toEqual([]);
});
