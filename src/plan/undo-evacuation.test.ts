import { describe, expect, test } from 'vitest';
import type { Job, Snapshot } from '../model/snapshot.ts';
import { at, givenAsk, givenGroup, givenNode, givenProcess, givenRole, givenTopology } from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { cancelReplacements } from './cancel.ts';
import { evacuate } from './evacuate.ts';
import type { World } from './testing/cancel-scene.ts';
import { cancelling, id, marked, snapshotOf, unreachable } from './testing/cancel-scene.ts';
import { says } from './testing/says.ts';
import { verifyDrained } from './verify-drained.ts';

describe('a process group that stays is included again in the engine, and the engine is told until it shows it', () => {
  const told = 'cancel-evacuation storage-1 [storage-1] [10.0.0.1] Cancelled';
  const keeping = 'keeping storage-1 Cancelled';
  const emptied = { removal: marked, evacuationAt: at(-50) };
  const undoing = { evacuationAt: at(-50) };
  const kept = (state: Job['state'], since: number, retryAt?: number) => ({
    jobs: [
      givenJob('storage-1', {
        verb: 'CancelEvacuation',
        state,
        since: at(since),
        ...(retryAt !== undefined && { retryAt: at(retryAt) }),
      }),
    ],
  });

  test.each<[string, World, readonly string[]]>([
    [
      'excluded',
      { group: emptied, process: { excluded: true } },
      ['unmark storage-1 Cancelled still emptied', keeping, told],
    ],
    ['excluded for a while: told again', { group: undoing, process: { excluded: true } }, [keeping, told]],
    [
      'told since, or about to be when something crashed: told again, and on record already',
      { group: undoing, process: { excluded: true }, snapshot: kept('Running', -20) },
      [told],
    ],
    [
      'the same, and not excluded: whatever was told, done',
      { group: undoing, snapshot: kept('Running', -20) },
      ['evacuation-ended storage-1 Cancelled'],
    ],
    [
      'about to be told, and excluded by an address that it had: only its having been told ends that',
      { group: { ...undoing, addresses: ['a', 'b'] }, process: { addresses: ['b'] }, snapshot: kept('Running', -20) },
      ['cancel-evacuation storage-1 [storage-1] [a, b] Cancelled'],
    ],
    ['not excluded any more: done', { group: undoing }, ['evacuation-ended storage-1 Cancelled']],
    [
      'not excluded, seen by an observation that is newer: nothing to undo',
      { group: emptied },
      ['unmark storage-1 Cancelled'],
    ],
    [
      'not excluded, seen by an observation that is as old: it cannot show it',
      { group: { ...emptied, evacuationAt: at(0) } },
      ['unmark storage-1 Cancelled still emptied', keeping, told],
    ],
    ['nobody knows', { group: undoing, process: { excluded: 'unknown' } }, [keeping, told]],
    ['nobody knows, and nothing of ours excluded it', { process: { excluded: 'unknown' } }, []],
    ['a person excluded it by hand', { process: { excluded: true } }, [told]],
    [
      'the engine does not list it any more: by every address that it had',
      { group: { ...undoing, addresses: ['a', 'b'] }, process: null },
      [keeping, 'cancel-evacuation storage-1 [] [a, b] Cancelled'],
    ],
    [
      'the engine lists it under one of its addresses',
      { group: { ...undoing, addresses: ['a', 'b'] }, process: { addresses: ['b'], excluded: true } },
      [keeping, 'cancel-evacuation storage-1 [storage-1] [a, b] Cancelled'],
    ],
    [
      'it came back under another address: the old one is included as well',
      { group: { ...undoing, addresses: ['a', 'b'] }, process: { addresses: ['b'] } },
      [keeping, 'cancel-evacuation storage-1 [storage-1] [a, b] Cancelled'],
    ],
    [
      'it came back under another address before it was cancelled',
      { group: { ...emptied, addresses: ['a', 'b'] }, process: { addresses: ['b'] } },
      ['unmark storage-1 Cancelled still emptied', keeping, 'cancel-evacuation storage-1 [storage-1] [a, b] Cancelled'],
    ],
    [
      'and the engine took that: done',
      { group: { ...undoing, addresses: ['a', 'b'] }, process: { addresses: ['b'] }, snapshot: kept('Done', -20) },
      ['evacuation-ended storage-1 Cancelled'],
    ],
    [
      'but it was emptied once more after that: told again',
      { group: { ...undoing, addresses: ['a', 'b'] }, process: { addresses: ['b'] }, snapshot: kept('Recorded', -20) },
      [keeping, 'cancel-evacuation storage-1 [storage-1] [a, b] Cancelled'],
    ],
    [
      'told by a clock that was set back since: what it shows came after that all the same',
      { group: { evacuationAt: at(600) }, snapshot: kept('Done', -20) },
      ['evacuation-ended storage-1 Cancelled'],
    ],
    [
      'the same, and what it shows may be older',
      { group: { evacuationAt: at(600) }, snapshot: kept('Done', 0) },
      [told],
    ],
    [
      'the same, and emptied once more: what it shows is from before',
      { group: { evacuationAt: at(600) }, snapshot: kept('Recorded', -20) },
      [keeping, told],
    ],
    [
      'the engine took it, and excludes it all the same',
      { group: undoing, process: { excluded: true }, snapshot: kept('Done', -20) },
      [told],
    ],
    [
      'the engine refused: not at once again',
      { group: undoing, process: { excluded: true }, snapshot: kept('Failed', -20, 40) },
      ['cancel holds storage-1: JobFailed until +40', 'wake +40'],
    ],
    [
      'the engine refused, and the next try is due',
      { group: undoing, process: { excluded: true }, snapshot: kept('Failed', -20, 0) },
      [keeping, told],
    ],
    [
      'the engine is down: remembered',
      { group: emptied, snapshot: { topology: unreachable } },
      ['unmark storage-1 Cancelled still emptied', 'cancel holds storage-1: EngineUnreachable'],
    ],
    [
      'the engine is still down',
      { group: undoing, snapshot: { topology: unreachable } },
      ['cancel holds storage-1: EngineUnreachable'],
    ],
    [
      'drained and marked: its data comes back',
      { group: { ...emptied, drainedAt: at(-5) }, process: { excluded: true } },
      ['unmark storage-1 Cancelled still emptied', keeping, told],
    ],
  ])('%s', (_, world, expected) => {
    expect(cancelling(world)).toEqual(expected);
  });

  describe('of two processes', () => {
    const both = (first: boolean | 'unknown', second: boolean | 'unknown') => ({
      topology: givenTopology({
        processes: [first, second].map((excluded, index) =>
          givenProcess(`p-${index}`, { group: 'storage-1', addresses: ['10.0.0.1'], excluded }),
        ),
      }),
    });
    const tellBoth = ['cancel-evacuation storage-1 [p-0, p-1] [10.0.0.1] Cancelled'];

    test.each<[string, World, readonly string[]]>([
      ['one is still excluded', { group: undoing, snapshot: both(true, false) }, [keeping, ...tellBoth]],
      ['one is excluded by hand', { snapshot: both(true, false) }, tellBoth],
      ['nobody knows of one', { group: undoing, snapshot: both(false, 'unknown') }, [keeping, ...tellBoth]],
      ['neither is', { group: undoing, snapshot: both(false, false) }, ['evacuation-ended storage-1 Cancelled']],
    ])('%s', (_, world, expected) => {
      expect(cancelling(world)).toEqual(expected);
    });
  });

  test('what waits for the engine is said in words', () => {
    const { holds } = cancelReplacements(surveyOf(snapshotOf({ group: undoing, snapshot: { topology: unreachable } })));
    expect(holds[0]?.reason.message).toMatch(/^storage-1 is not included again yet: the engine has not answered/);
  });

  test('what a drain of its node moves is not a replacement, and goes on', () => {
    const world = (asks: Snapshot['asks'], trigger: 'Eviction' | 'Cordon' = 'Eviction'): World => ({
      spec: {
        engine: 'arangodb',
        trigger,
        roles: [givenRole('dbserver', { count: 3 })],
        cancelReplacements: [id('dbserver-1')],
      },
      snapshot: {
        processGroups: [givenGroup('dbserver-1', undoing)],
        topology: givenTopology({ processes: [givenProcess('dbserver-1', { excluded: true })] }),
        asks,
      },
    });
    const cordoned = (isCordoned: boolean): World => {
      const { snapshot, ...rest } = world([], 'Cordon');
      const nodes = [givenNode('node-of-dbserver-1', { cordoned: isCordoned })];
      return { ...rest, snapshot: { ...snapshot, nodes } };
    };
    expect(cancelling(world([givenAsk('dbserver-1')]))).toEqual([]);
    expect(cancelling(world([givenAsk('dbserver-1', { lastSeen: at(-600) })]))).toEqual([
      'keeping dbserver-1 Cancelled',
      'cancel-evacuation dbserver-1 [dbserver-1] [10.0.0.1] Cancelled',
    ]);
    expect(cancelling(cordoned(true))).toEqual([]);
    expect(cancelling(cordoned(false))).toHaveLength(2);
    expect(cancelling(world([givenAsk('dbserver-2')]))).toEqual([
      'keeping dbserver-1 Cancelled',
      'cancel-evacuation dbserver-1 [dbserver-1] [10.0.0.1] Cancelled',
    ]);
  });

  test('a crash after the record and before the act ends in the same state', () => {
    const before = snapshotOf({ group: emptied, process: { excluded: true } });
    const { records } = cancelReplacements(surveyOf(before));
    const after = applyRecords(before, records);
    expect(after.jobs).toMatchObject([{ verb: 'CancelEvacuation', group: 'storage-1', state: 'Running' }]);
    expect(says(cancelReplacements(surveyOf(after)))).toEqual([told]);
    const included = { ...after, topology: givenTopology({ processes: [givenProcess('storage-1')] }) };
    const last = cancelReplacements(surveyOf(included));
    expect(says(last)).toEqual(['evacuation-ended storage-1 Cancelled']);
    expect(says(cancelReplacements(surveyOf(applyRecords(included, last.records))))).toEqual([]);
  });

  test('a crash after the act and before its note: wanted gone again at once, what the engine shows of before proves nothing', () => {
    const drained = { excluded: true, drained: true };
    const before = snapshotOf({ group: emptied, process: drained });
    const after = applyRecords(before, cancelReplacements(surveyOf(before)).records);
    const again = {
      ...after,
      spec: { ...after.spec, cancelReplacements: [] },
      processGroups: after.processGroups.map((group) =>
        group.id === 'storage-1' ? { ...group, removal: marked } : group,
      ),
    };
    expect(says(verifyDrained(surveyOf(again)))).toEqual(['verify-drained holds storage-1: Draining']);
    expect(says(evacuate(surveyOf(again)))).toEqual([
      'evacuating storage-1 Leaving',
      'evacuate storage-1 [storage-1] [] Leaving',
    ]);
  });
});
