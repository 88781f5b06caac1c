import { expect, test } from 'vitest';
import type { Snapshot } from '../../model/snapshot.ts';
import { at, givenGroup, givenProcess, givenTopology } from '../../model/testing/given.ts';
import { scene } from '../testing/storage-scene.ts';
import { missingGroups } from './missing-groups.ts';

const said = (given: Partial<Snapshot> = {}) =>
  missingGroups(scene(given)).map(({ group, missing }) => `${group}: ${missing.join(', ')}`);

const [one, two, three] = ['storage-1', 'storage-2', 'storage-3'] as const;
const silent = { unreachable: 'no answer', since: at(-60) };
const twoOnRecord = [
  givenGroup(one),
  givenGroup(two, { conditions: [{ type: 'MissingProcesses', since: at(-600) }] }),
  givenGroup(three),
];

test.each<[string, Partial<Snapshot>, readonly string[]]>([
  ['all is well', {}, []],
  [
    'one process is not listed',
    { topology: givenTopology({ processes: [givenProcess(one), givenProcess(three)] }) },
    [`${two}: MissingProcesses`],
  ],
  [
    'one process does not respond',
    {
      topology: givenTopology({
        processes: [givenProcess(one), givenProcess(two, { responds: false }), givenProcess(three)],
      }),
    },
    [`${two}: MissingProcesses`],
  ],
  [
    'one pod is not there, and the engine has not noticed',
    { processGroups: [givenGroup(one), givenGroup(two, { pod: null }), givenGroup(three)] },
    [`${two}: MissingPod`],
  ],
  ['it is on record only', { processGroups: twoOnRecord }, []],
  ['the engine says nothing', { topology: silent }, []],
  ['the engine says nothing, it is on record', { topology: silent, processGroups: twoOnRecord }, []],
  ['the engine lists nothing at all', { topology: givenTopology({ processes: [] }) }, []],
])('%s: %j', (_, given, expected) => {
  expect(said(given)).toEqual(expected);
});
