import { describe, expect, test } from 'vitest';
import type { Step } from '../model/decision.ts';
import { name } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGrant,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenQuorum,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { instant, seconds } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { surveyOf } from '../rules/survey.ts';
import { evacuate } from './evacuate.ts';
import { evacuateAsked } from './evacuate-asked.ts';
import { forget } from './forget.ts';
import { grants } from './grants.ts';
import { handOff } from './hand-off.ts';
import { maintain } from './maintenance.ts';
import { recreate } from './recreate.ts';
import { remove } from './remove.ts';
import { told } from './testing/told.ts';
import { verifyDrained } from './verify-drained.ts';

const marked = { removal: { at: at(-600), cause: 'Requested', withoutExclusion: false } } as const;
const missing = (since: number) => ({ conditions: [{ type: 'MissingProcesses', since: at(since) } as const] });
const old = givenShape({ specHash: 'pod-0' });
const spec = givenSpec({ roles: [givenRole('storage', { count: 2 })], podUpdateStrategy: 'Delete' });

const scene = (first: Partial<ProcessGroup>, given: Partial<Snapshot> = {}): Snapshot =>
  givenSnapshot({
    spec,
    processGroups: [givenGroup('storage-1', first), givenGroup('storage-2'), givenGroup('storage-3')],
    topology: givenTopology({ processes: ['storage-1', 'storage-2', 'storage-3'].map((id) => givenProcess(id)) }),
    ...given,
  });
const recovered = (ago: number) =>
  givenTopology({
    processes: ['storage-1', 'storage-2', 'storage-3'].map((id) => givenProcess(id)),
    health: givenHealth({ secondsSinceRecovery: seconds(ago) }),
  });
const failed = (verb: 'Evacuate' | 'Forget' | 'HandOff', group = 'storage-1') => ({
  jobs: [givenJob(group, { verb, state: 'Failed', retryAt: at(33) })],
});
const gone = { ...marked, evacuationAt: at(-500), drainedAt: at(-400), removingAt: at(-300), pod: null, claim: null };
const maintenance = { zone: name<NonNullable<ProcessGroup['zone']>>('zone-2'), since: at(-9), until: at(44) };
const etcd = (given: Partial<Snapshot>): Snapshot =>
  givenSnapshot({
    spec: givenSpec({ engine: 'etcd', roles: [givenRole('member', { count: 3 })] }),
    processGroups: ['member-1', 'member-2', 'member-3'].map((id) => givenGroup(id)),
    topology: givenTopology({
      processes: ['member-1', 'member-2', 'member-3'].map((id) => givenProcess(id)),
      quorums: [givenQuorum('q', ['member-3', 'member-2', 'member-1'])],
      health: givenHealth({ zonesThatMayFail: null }),
    }),
    ...given,
  });
const longhorn = (given: Partial<Snapshot>): Snapshot =>
  givenSnapshot({
    spec: givenSpec({ engine: 'longhorn', ownsPods: false, drainPolicy: 'block-for-eviction' }),
    processGroups: [givenGroup('im-1'), givenGroup('im-2')],
    topology: givenTopology({
      processes: [givenProcess('im-1'), givenProcess('im-2')],
      units: [givenUnit('v', ['im-2', 'im-1'])],
      health: givenHealth({ zonesThatMayFail: null }),
    }),
    asks: [givenAsk('im-1')],
    ...given,
  });

type Case = readonly [what: string, ask: (survey: Survey) => Step, snapshot: Snapshot, wakeAt: number];

const cases: readonly Case[] = [
  ['an evacuation after a recovery', evacuate, scene(marked, { topology: recovered(100) }), 20],
  [
    'an evacuation while a process is missing',
    evacuate,
    scene(marked, {
      processGroups: [givenGroup('storage-1', marked), givenGroup('storage-2'), givenGroup('storage-3', missing(-10))],
    }),
    290,
  ],
  ['an evacuation that failed', evacuate, scene({ ...marked, evacuationAt: at(-9) }, failed('Evacuate')), 33],
  [
    'a process that nobody lists',
    verifyDrained,
    scene(
      { ...marked, ...missing(-30), evacuationAt: at(-60) },
      { topology: givenTopology(), jobs: [givenJob('storage-1', { state: 'Done' })] },
    ),
    60,
  ],
  ['a removal after another', remove, scene({ ...marked, drainedAt: at(-9) }, { lastRemovalAt: at(-10) }), 50],
  ['an inclusion after a recovery', forget, scene(gone, { topology: recovered(590) }), 10],
  ['an inclusion that failed', forget, scene(gone, failed('Forget')), 33],
  [
    'the end of a maintenance',
    maintain,
    scene({}, { maintenance, topology: { unreachable: 'refused', since: at(-9) } }),
    44,
  ],
  [
    'a deletion while a pod is missing',
    recreate,
    scene(
      { pod: givenPod('storage-1', { shape: old }) },
      {
        processGroups: [
          givenGroup('storage-1', { pod: givenPod('storage-1', { shape: old }) }),
          givenGroup('storage-2', missing(-40)),
        ],
      },
    ),
    50,
  ],
  [
    'a deletion while another zone is under maintenance',
    recreate,
    scene(
      { pod: givenPod('storage-1', { shape: old }) },
      { spec: { ...spec, maintenance: { use: true, time: seconds(600) } }, maintenance },
    ),
    44,
  ],
  ['a hand-off that failed', handOff, etcd({ asks: [givenAsk('member-3')], ...failed('HandOff', 'member-3') }), 33],
  [
    'a hand-off that nobody asks for any more',
    handOff,
    etcd({ asks: [givenAsk('member-3', { lastSeen: at(-500) })] }),
    100,
  ],
  ['an open lock', grants, etcd({ grants: [givenGrant('member-1', { grantedAt: at(-4) })] }), 6],
  ['a closed lock', grants, etcd({ grants: [givenGrant('member-1', { closedAt: at(-20) })] }), 40],
  ['an eviction that is held', grants, etcd({ asks: [givenAsk('member-3', { lastSeen: at(-500) })] }), 100],
  [
    'an evacuation that nobody asks for any more',
    evacuateAsked,
    longhorn({ asks: [givenAsk('im-1', { lastSeen: at(-599) })] }),
    1,
  ],
  [
    'an evacuation that two people ask for: who asked last is named until the end',
    evacuateAsked,
    longhorn({
      asks: [
        givenAsk('im-1', { by: 'ann', since: at(-700), lastSeen: at(-599) }),
        givenAsk('im-1', { lastSeen: at(-500) }),
      ],
    }),
    100,
  ],
  [
    'a force that lapses before the wish',
    grants,
    etcd({
      grants: [givenGrant('member-3', { grantedAt: at(-1), exemption: 'x' })],
      asks: [givenAsk('member-3', { force: 'why', lastSeen: at(-595) }), givenAsk('member-3', { by: 'bob' })],
    }),
    5,
  ],
  [
    'a wish that lapses before its lock closes',
    grants,
    etcd({
      grants: [givenGrant('member-1', { grantedAt: at(-1) })],
      asks: [givenAsk('member-1', { lastSeen: at(-597) })],
    }),
    3,
  ],
  ['an evacuation for a drain that failed', evacuateAsked, longhorn(failed('Evacuate', 'im-1')), 33],
];

describe('a step says the same until it wakes, and something else then', () => {
  test.each(cases)('%s', (_, ask, snapshot, wakeAt) => {
    const asked = (moment: number) => told(ask(surveyOf({ ...snapshot, now: instant(moment) })));
    const first = ask(surveyOf(snapshot));
    expect(first.wakeAt).toBe(at(wakeAt));
    expect(asked(at(wakeAt) - 1)).toEqual(told(first));
    expect(asked(at(wakeAt))).not.toEqual(told(first));
  });
});
