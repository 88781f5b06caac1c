import { expect, test } from 'vitest';
import { keyText } from '../../kube/object.ts';
import { name } from '../../model/ids.ts';
import { at } from '../../model/testing/given.ts';
import { jobsTold, Notes } from './notes.ts';

const key = keyText({ namespace: 'db', name: 'orders' });

type Told = readonly (readonly [group: string, since: number])[];

/** `log-1 at 5`, for each job that stands after the engine was told to forget these, in this order. */
function afterForgetting(told: Told): readonly string[] {
  let recorded: ReturnType<typeof jobsTold> = [];
  for (const [group, since] of told) {
    const notes = new Notes();
    notes.forgotten(key, name(group), at(since));
    recorded = jobsTold(recorded, notes.of(key));
  }
  return recorded.map((job) => `${job.group} at ${(job.since - at(0)) / 1000}`);
}

test.each<[string, Told, readonly string[]]>([
  [
    'one row for each process group',
    [
      ['log-1', 5],
      ['log-2', 6],
    ],
    ['log-1 at 5', 'log-2 at 6'],
  ],
  [
    'the last word about a process group, and no second row',
    [
      ['log-1', 5],
      ['log-2', 6],
      ['log-1', 9],
    ],
    ['log-1 at 9', 'log-2 at 6'],
  ],
  [
    'also where the clock was set back in between',
    [
      ['log-1', 600],
      ['log-1', 5],
      ['log-1', 10],
    ],
    ['log-1 at 10'],
  ],
])('what the engine was told is kept: %s', (_, told, kept) => {
  expect(afterForgetting(told)).toEqual(kept);
});

test('rows that an older version wrote twice become one', () => {
  const notes = new Notes();
  notes.forgotten(key, name('log-1'), at(5));
  const [job] = notes.of(key).jobs;
  const twice = job === undefined ? [] : [job, { ...job, since: at(7) }];
  expect(jobsTold(twice, { jobs: [] })).toMatchObject([{ since: at(7) }]);
});
