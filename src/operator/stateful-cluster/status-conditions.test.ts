import { describe, expect, test } from 'vitest';
import { statefulClusterConditions } from '../../api/v1alpha1/stateful-cluster.conditions.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { unknown } from '../../model/known.ts';
import { reasons } from '../../model/reasons.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenRole,
  givenShape,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import { timestampOf } from '../status/moments.ts';
import { decided } from '../testing/given-cluster.ts';
import { ids, over, scene, written } from '../testing/storage-scene.ts';
import type { StatusInput } from './status.ts';

function said(type: string, snapshot: Snapshot, given: Partial<StatusInput> = {}): string | undefined {
  const found = written(snapshot, given).conditions.find((one) => one.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}

const listed = (...some: string[]) => some.map((id) => name<ProcessGroupId>(id));
const role = (count: number, shape = givenShape()) => givenRole('storage', { count, shape });
const groups = (change: (id: string) => Parameters<typeof givenGroup>[1]) =>
  ids.map((id) => givenGroup(id, change(id)));
const removal = { at: at(-5), cause: 'Requested', withoutExclusion: false } as const;

test('each condition that is written is in the catalogue', () => {
  const types = written(scene()).conditions.map(({ type }) => type);
  expect(types).toEqual(statefulClusterConditions.map(({ type }) => type));
});

describe('Ready', () => {
  test.each([
    ['True AllAvailable: every process group is up, and the engine serves requests', {}],
    [
      'Unknown EngineUnreachable: the engine does not answer: connection refused',
      { topology: { unreachable: 'connection refused', since: at(-60) } },
    ],
    [
      'Unknown EngineUnreachable: the engine answers, and does not say whether it serves requests',
      { topology: givenTopology({ health: givenHealth({ available: unknown }) }) },
    ],
    [
      'False EngineUnavailable: the engine does not serve requests',
      { topology: givenTopology({ health: givenHealth({ available: false }) }) },
    ],
    [
      'False ProcessGroupsUnavailable: storage-2 is not up',
      { topology: givenTopology({ processes: ['storage-1', 'storage-3'].map((id) => givenProcess(id)) }) },
    ],
    [
      'False ProcessGroupsUnavailable: storage-1 and storage-2 are not up',
      {
        processGroups: groups((id) => {
          if (id === 'storage-1') return { pod: givenPod(id, { ready: false }) };
          return id === 'storage-2' ? { pod: givenPod(id, { phase: 'Pending' }) } : {};
        }),
      },
    ],
    [
      'True AllAvailable: every process group is up, and the engine serves requests',
      {
        spec: givenSpec({ roles: [role(2)] }),
        // Drained, and stuck terminating: it holds nothing up.
        processGroups: groups((id) =>
          id === 'storage-3'
            ? {
                removal,
                evacuationAt: at(-5),
                drainedAt: at(-5),
                removingAt: at(-5),
                pod: givenPod(id, { deletingSince: at(-900) }),
              }
            : {},
        ),
      },
    ],
  ])('%s', (expected, given: Partial<Snapshot>) => {
    expect(said('Ready', scene(given))).toBe(expected);
  });

  test('what is missing is counted by role, before it is recorded that it is added', () => {
    const guarded = scene({ spec: givenSpec({ ownsPods: false, roles: [role(5)] }) });
    expect(said('Ready', guarded)).toBe('False ProcessGroupsUnavailable: there are 3 of 5 storage process groups');
  });
});

describe('Progressing', () => {
  test.each([
    ['False AsSpecified', {}, {}],
    ['True Bootstrapping', {}, { bootstrappedAt: null }],
    ['True Changing', { spec: givenSpec({ roles: [role(4)] }) }, {}],
    // Its pod is there, and the engine has not heard of it yet: there is nothing to do but it is being added.
    [
      'True Changing',
      {
        processGroups: groups((id) => (id === 'storage-3' ? { addresses: [] } : {})),
        topology: givenTopology({ processes: ['storage-1', 'storage-2'].map((id) => givenProcess(id)) }),
      },
      {},
    ],
    // It is listed to be removed, and there is no room for its successor.
    [
      'False Waiting',
      {
        spec: givenSpec({ roles: [role(3)], processGroupsToRemove: listed('storage-1') }),
        share: { reserved: [], quota: { message: 'exceeded quota', missing: { cpu: 1 } } },
      },
      {},
    ],
    // Nodes cannot be read, which is about no process group.
    [
      'False Waiting',
      {
        spec: givenSpec({
          roles: [role(3)],
          replacements: { ...givenSpec().replacements, taints: [{ key: '*', duration: 'never' }] },
        }),
      },
      {},
    ],
  ])('%s', (expected, given: Partial<Snapshot>, input: Partial<StatusInput>) => {
    expect(said('Progressing', scene(given), input)?.split(':')[0]).toBe(expected);
  });

  test('True Changing while the engine moves data away and nothing else is to be done', () => {
    const leaving = {
      spec: givenSpec({ roles: [role(2)] }),
      processGroups: groups((id) => (id === 'storage-3' ? { removal, evacuationAt: at(-5) } : {})),
      topology: givenTopology({
        processes: ids.map((id) => givenProcess(id, { excluded: id === 'storage-3' })),
      }),
    };
    const status = written(scene(leaving));
    expect(status.processGroups[2]?.waitingFor[0]?.code).toBe('Draining');
    expect(said('Progressing', scene(leaving))).toContain('True Changing');
  });
});

describe('Blocked', () => {
  const full = { reserved: [], quota: { message: 'exceeded quota: cpu', missing: { cpu: 1 } } } as const;
  const asked = scene({
    spec: givenSpec({ roles: [role(3)], processGroupsToRemove: listed('storage-1', 'storage-2') }),
    share: full,
  });

  test('the one that has waited longest speaks for all', () => {
    const first = written(asked);
    const rows = first.processGroups.map((row) => ({
      ...row,
      waitingFor: row.waitingFor.map((wait) => ({
        ...wait,
        since: row.processGroupID === 'storage-2' ? timestampOf(at(-60)) : wait.since,
      })),
    }));
    expect(said('Blocked', asked)).toBe(
      'True NoRoom: storage-1 is not replaced yet: there is no room for its successor: exceeded quota: cpu',
    );
    expect(said('Blocked', asked, over({ ...first, processGroups: rows }))).toContain('True NoRoom: storage-2 is not');
    expect(first.counts.waiting).toBe(2);
  });

  test('a sentence that does not name it gets its name', () => {
    const input = decided(scene());
    const holds = [{ step: 'grow', group: name<ProcessGroupId>('storage-2'), reason: reasons.monitorConfEmpty({}) }];
    expect(said('Blocked', scene(), { decision: { ...input.decision, holds } })).toContain(
      'True MonitorConfEmpty: storage-2: nothing is replaced',
    );
  });

  test('what is about no process group speaks where none waits', () => {
    const taints = [{ key: '*', duration: 'never' }] as const;
    const spec = givenSpec({ roles: [role(3)], replacements: { ...givenSpec().replacements, taints } });
    expect(said('Blocked', scene({ spec }))).toBe(
      'True NodesUnreadable: taints are not looked at: nodes cannot be read',
    );
  });
});

test('a sentence about the whole cluster whose moments jitter is not written again', () => {
  const { decision } = decided(scene());
  const recovered = (moment: number) => {
    const reason = reasons.recentRecovery({ subject: 'all waits', recoveredAt: at(moment), due: at(moment + 120) });
    return { decision: { ...decision, holds: [{ step: 'evacuate', group: null, reason }] } };
  };
  const first = written(scene(), recovered(0));
  const message = first.conditions.find(({ type }) => type === 'Blocked')?.message;
  expect(said('Blocked', scene(), { ...recovered(1), ...over(first) })).toBe(`True RecentRecovery: ${message}`);
  expect(said('Blocked', scene(), { ...recovered(60), ...over(first) })).toContain('recovered at 2026-11-15T00:01:00Z');
});

describe('ConflictingRequests', () => {
  test.each`
    reason               | spec
    ${'NoConflict'}      | ${{ roles: [role(3)], cancelReplacements: listed('storage-1') }}
    ${'RemoveAndCancel'} | ${{ roles: [role(3)], cancelReplacements: listed('storage-1'), processGroupsToRemove: listed('storage-1') }}
    ${'RemoveAndCancel'} | ${{ roles: [role(3)], cancelReplacements: listed('storage-1'), processGroupsToRemoveWithoutExclusion: listed('storage-1') }}
    ${'ShrinkAndCancel'} | ${{ roles: [role(1)], cancelReplacements: listed('storage-1', 'storage-2') }}
    ${'ShrinkAndCancel'} | ${{ roles: [role(0)], cancelReplacements: listed('storage-1') }}
    ${'ChangeAndCancel'} | ${{ roles: [role(3, givenShape({ claimSpecHash: 'claim-2' }))], cancelReplacements: listed('storage-1') }}
    ${'ChangeAndCancel'} | ${{ roles: [role(3, givenShape({ processesPerPod: 2 }))], cancelReplacements: listed('storage-1') }}
  `('$reason', ({ reason, spec }) => {
    expect(said('ConflictingRequests', scene({ spec: givenSpec(spec) }))?.split(':')[0]).toBe(
      `${reason === 'NoConflict' ? 'False' : 'True'} ${reason}`,
    );
  });

  test('the message names every process group', () => {
    const both = listed('storage-1', 'storage-2');
    const spec = givenSpec({ roles: [role(3)], cancelReplacements: both, processGroupsToRemove: both });
    const text = said('ConflictingRequests', scene({ spec }));
    expect(text).toContain('storage-1 is listed');
    expect(text).toContain('; storage-2 is listed');
  });
});

test('UnknownProcessGroups names the ids and the lists that they stand in, and blocks nothing', () => {
  const spec = givenSpec({
    roles: [role(3)],
    processGroupsToRemove: listed('storage-8', 'storage-9'),
    cancelReplacements: listed('storage-7'),
  });
  expect(said('UnknownProcessGroups', scene({ spec }))).toBe(
    'True IdsNotFound: ignored, because 3 ids do not exist: cancelReplacementsForInstance lists storage-7; processGroupsToRemove lists storage-8 and storage-9',
  );
  expect(said('Blocked', scene({ spec }))).toContain('False NothingWaits');
});
