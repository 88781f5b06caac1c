import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import { name } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { at, givenAsk, givenGroup, givenNode, givenProcess, givenRole, givenSpec } from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { evacuate } from './evacuate.ts';
import { marked, missingSince, said, world } from './testing/evacuation-scene.ts';
import { told } from './testing/told.ts';

interface Given {
  readonly wanted?: number;
  readonly first?: Partial<ProcessGroup>;
  readonly process?: Parameters<typeof givenProcess>[1];
  readonly third?: Partial<ProcessGroup>;
  readonly more?: readonly ProcessGroup[];
  readonly snapshot?: Partial<Snapshot>;
  readonly spec?: Partial<ClusterSpec>;
}

/** Four storage groups where three are wanted; 1 and 2 were being emptied for a drain when they were marked. */
function given({ wanted = 3, first = {}, process = {}, third = {}, more = [], snapshot = {}, spec = {} }: Given) {
  const emptied = { ...marked, evacuationAt: at(-700) };
  const groups = [
    givenGroup('storage-1', { ...emptied, ...first }),
    givenGroup('storage-2', emptied),
    givenGroup('storage-3', third),
    givenGroup('storage-4'),
    ...more,
  ];
  const processes = [
    givenProcess('storage-1', { excluded: true, ...process }),
    givenProcess('storage-2', { excluded: true }),
    givenProcess('storage-3'),
    givenProcess('storage-4'),
  ];
  const roles = [givenRole('storage', { count: wanted })];
  return {
    groups,
    processes,
    health: { zonesThatMayFail: 1 },
    snapshot: { spec: givenSpec({ roles, ...spec }), ...snapshot },
  };
}

const takesBack = (...ids: readonly string[]) => [
  ...ids.map((id) => `record keeping ${id} (EvacuationCancelled)`),
  ...ids.map((id) => `cancel-evacuation ${id} [${id}] [${givenGroup(id).addresses.join()}] (EvacuationCancelled)`),
];
const stays = givenJob('storage-1', { verb: 'CancelEvacuation', state: 'Done', since: at(-5) });
const cordoned: Given = {
  spec: { trigger: 'Cordon' },
  snapshot: { nodes: ['storage-1', 'storage-2'].map((id) => givenNode(`node-of-${id}`, { cordoned: true })) },
};

describe('one that was being emptied for a drain when it was marked keeps its data while its role lacks it', () => {
  test.each<[string, Given, readonly string[]]>([
    ['one of the two is lacking', {}, takesBack('storage-1')],
    ['two are', { wanted: 4 }, takesBack('storage-1', 'storage-2')],
    ['none is', { wanted: 2 }, []],
    [
      'it was emptied because it was marked: the budget was asked then',
      { first: { evacuationAt: at(-600) } },
      takesBack('storage-2'),
    ],
    ['it is drained by now', { process: { drained: true } }, takesBack('storage-2')],
    ['that is on record', { first: { drainedAt: at(-1) } }, takesBack('storage-2')],
    ['it is being removed', { first: { removingAt: at(-1) } }, takesBack('storage-2')],
    [
      'somebody wants its pod gone still',
      { snapshot: { asks: [givenAsk('storage-1')] } },
      [...takesBack('storage-2'), 'wake at 600'],
    ],
    [
      'the same, and the other was told to keep its data: that stands when nobody wants it gone any more',
      { snapshot: { jobs: [{ ...stays, group: name('storage-2') }] } },
      takesBack('storage-2').slice(1),
    ],
    [
      'and that of the other',
      { snapshot: { asks: ['storage-1', 'storage-2'].map((id) => givenAsk(id)) } },
      ['wake at 600'],
    ],
    [
      'it was told to keep it: told until the engine shows that',
      { snapshot: { jobs: [stays] } },
      takesBack('storage-1').slice(1),
    ],
    [
      'and the engine shows it',
      { process: { excluded: false }, snapshot: { jobs: [stays] } },
      ['record evacuation-ended storage-1 (EvacuationCancelled)'],
    ],
    [
      'a successor is coming up, and waited for',
      { wanted: 4, more: [givenGroup('storage-5', { ...missingSince(-100), addresses: [] })] },
      ['wake at 200'],
    ],
    [
      'two are: waited for both',
      {
        wanted: 4,
        more: [-100, -50].map((since, index) =>
          givenGroup(`storage-${index + 5}`, { ...missingSince(since), addresses: [] }),
        ),
      },
      ['wake at 250'],
    ],
    ['it does not come: one may be emptied without', { more: [givenGroup('storage-5', missingSince(-400))] }, []],
  ])('%s', (_, scene, expected) => {
    expect(said(given(scene))).toEqual(expected);
  });

  test('not while its node is cordoned, where that asks', () => {
    expect(said(given({ ...cordoned, wanted: 4 }))).toEqual([]);
  });

  test('once it has its data it waits for its successor like any other', () => {
    const shown = { process: { excluded: false }, snapshot: { jobs: [stays] } };
    const before = world(given(shown));
    const after = applyRecords(before, evacuate(surveyOf(before)).records);
    expect(told(evacuate(surveyOf(after)))).toEqual(['evacuate holds storage-1: SuccessorNotUp']);
  });
});
