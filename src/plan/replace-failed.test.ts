import { describe, expect, test } from 'vitest';
import type { AutomaticReplacement, Buggify } from '../model/cluster-spec.ts';
import type { Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import type { ConditionType } from '../model/process-group.ts';
import { conditionTypes } from '../model/process-group.ts';
import { at, givenHealth, givenPod, givenRole, givenSpec, givenTopology } from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { failures, replaceFailed } from './replace-failed.ts';
import type { Cluster } from './testing/cluster.ts';
import { held, ids, markedFor, saysOf, snapshotOf, stuck } from './testing/cluster.ts';

const replacements = (given: Partial<AutomaticReplacement> = {}): AutomaticReplacement => ({
  ...givenSpec().replacements,
  ...given,
});
const buggify = (given: Partial<Buggify>): Buggify => ({ ...givenSpec().buggify, ...given });
const failing = (...at: readonly number[]) => ({ conditions: at.map((one) => held('PodFailing', one)) });
const replacing = (cluster: Cluster) => saysOf(replaceFailed, cluster);
const failed = (id: string) => `mark ${id} Failed Failed`;
const tainted = (id: string) => `mark ${id} Tainted Tainted`;
const holds = (id: string, code: string) => `replace-failed holds ${id}: ${code}`;

describe('a failure is replaced when it has lasted for failureDetectionTimeSeconds, to the second', () => {
  test.each<[string, Cluster, readonly string[]]>([
    [
      '7199 s',
      { groups: { 'storage-1': failing(-7199) } },
      [`${holds('storage-1', 'FailureTooYoung')} until +1`, 'wake +1'],
    ],
    ['7200 s', { groups: { 'storage-1': failing(-7200) } }, [failed('storage-1')]],
    ['7201 s', { groups: { 'storage-1': failing(-7201) } }, [failed('storage-1')]],
    [
      '0 s',
      { groups: { 'storage-1': failing(0) } },
      [`${holds('storage-1', 'FailureTooYoung')} until +7200`, 'wake +7200'],
    ],
    [
      'a failure that lies ahead',
      { groups: { 'storage-1': failing(60) } },
      [`${holds('storage-1', 'FailureTooYoung')} until +7260`, 'wake +7260'],
    ],
    [
      'a shorter time',
      {
        groups: { 'storage-1': failing(-60) },
        spec: { replacements: replacements({ failureDetectionTime: seconds(60) }) },
      },
      [failed('storage-1')],
    ],
    [
      'a shorter time, 1 s before',
      {
        groups: { 'storage-1': failing(-59) },
        spec: { replacements: replacements({ failureDetectionTime: seconds(60) }) },
      },
      [`${holds('storage-1', 'FailureTooYoung')} until +1`, 'wake +1'],
    ],
    [
      'no time at all',
      {
        groups: { 'storage-1': failing(0) },
        spec: { replacements: replacements({ failureDetectionTime: seconds(0) }) },
      },
      [failed('storage-1')],
    ],
    ['nothing fails', { groups: { 'storage-1': {} } }, []],
    ['off', { groups: { 'storage-1': failing(-7200) }, spec: { replacements: replacements({ enabled: false }) } }, []],
    ['pods that someone else owns', { groups: { 'storage-1': failing(-7200) }, spec: { ownsPods: false } }, []],
    ['marked already', { groups: { 'storage-1': { ...failing(-7200), removal: markedFor() } } }, []],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });

  test.each(
    conditionTypes
      .filter((type) => type !== 'NodeTaintReplacing')
      .map((type) => [type, failures.includes(type)] as const),
  )('%s makes a process group be replaced: %s', (type, eligible) => {
    expect(replacing({ groups: { 'storage-1': { conditions: [held(type, -7200)] } } })).toEqual(
      eligible ? [failed('storage-1')] : [],
    );
  });

  test('eligible are the seven that the documents list', () => {
    const listed: readonly ConditionType[] = [
      'MissingProcesses',
      'PodFailing',
      'MissingPod',
      'MissingPVC',
      'MissingService',
      'PodPending',
      'ProcessIsMarkedAsExcluded',
    ];
    expect(failures).toEqual(listed);
  });

  test('the longest failure counts, two do not add up', () => {
    const conditions = [
      held('PodFailing', -4000),
      held('MissingPod', -5000),
      held('MissingPVC', -3000),
      held('IncorrectPodSpec', -9999),
    ];
    const cluster = { groups: { 'storage-1': { conditions } } };
    expect(replacing(cluster)).toEqual([`${holds('storage-1', 'FailureTooYoung')} until +2200`, 'wake +2200']);
    const step = replaceFailed(surveyOf(snapshotOf(cluster)));
    expect(step.holds[0]?.reason.evidence).toEqual({
      group: 'storage-1',
      condition: 'MissingPod',
      since: at(-5000),
      due: at(2200),
    });
  });

  test('of two that began together the one that is listed first is named, in any order', () => {
    const both = [held('PodPending', -7200), held('MissingProcesses', -7200)];
    for (const conditions of [both, both.toReversed()]) {
      const { records } = replaceFailed(surveyOf(snapshotOf({ groups: { 'storage-1': { conditions } } })));
      expect(records[0]).toMatchObject({ reason: { evidence: { condition: 'MissingProcesses', since: at(-7200) } } });
    }
  });
});

describe('at most maxConcurrentReplacements are in flight', () => {
  const two = { 'storage-1': failing(-7200), 'storage-2': failing(-7200) };
  const cap = (maxConcurrentReplacements: number) => ({ replacements: replacements({ maxConcurrentReplacements }) });

  test.each<[string, Cluster, readonly string[]]>([
    ['cap 1, none in flight: one', { groups: two }, [failed('storage-1'), holds('storage-2', 'ReplacementCap')]],
    [
      'cap 1, one in flight: none',
      { groups: { ...two, 'log-3': { removal: markedFor('Misconfigured') } } },
      [holds('storage-1', 'ReplacementCap'), holds('storage-2', 'ReplacementCap')],
    ],
    [
      'cap 2, one in flight: one',
      { groups: { ...two, 'log-3': { removal: markedFor() } }, spec: cap(2) },
      [failed('storage-1'), holds('storage-2', 'ReplacementCap')],
    ],
    ['cap 2, none in flight: two', { groups: two, spec: cap(2) }, [failed('storage-1'), failed('storage-2')]],
    [
      'cap 0: off',
      { groups: two, spec: cap(0) },
      [holds('storage-1', 'ReplacementCap'), holds('storage-2', 'ReplacementCap')],
    ],
    [
      'cap 1, one drained but terminating: one',
      { groups: { ...two, 'log-3': { removal: markedFor(), drainedAt: at(-5) } } },
      [failed('storage-1'), holds('storage-2', 'ReplacementCap')],
    ],
    [
      'cap 1, three in flight: none',
      {
        groups: {
          ...two,
          'log-3': { removal: markedFor() },
          'log-4': { removal: markedFor('Shrink') },
          'log-5': { removal: markedFor('Evicted') },
        },
      },
      [holds('storage-1', 'ReplacementCap'), holds('storage-2', 'ReplacementCap')],
    ],
    [
      'one that is too young takes up no place',
      { groups: { 'storage-1': failing(-1), 'storage-2': failing(-7200) } },
      [failed('storage-2'), `${holds('storage-1', 'FailureTooYoung')} until +7199`, 'wake +7199'],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });

  test('the hold says how many', () => {
    const step = replaceFailed(surveyOf(snapshotOf({ groups: two })));
    expect(step.holds[0]?.reason.evidence).toEqual({ group: 'storage-2', inFlight: 1, cap: 1 });
  });

  test('the order of the list does not matter', () => {
    const snapshot = snapshotOf({ groups: two });
    const reversed = { ...snapshot, processGroups: snapshot.processGroups.toReversed() };
    expect(replaceFailed(surveyOf(reversed))).toEqual(replaceFailed(surveyOf(snapshot)));
  });
});

describe('who is not replaced however long it fails', () => {
  const two = { 'storage-1': failing(-7200), 'storage-2': failing(-7199) };
  const younger = [`${holds('storage-2', 'FailureTooYoung')} until +1`, 'wake +1'];

  test.each<[string, Cluster, readonly string[]]>([
    [
      'one that crashes on purpose',
      { groups: two, spec: { buggify: buggify({ crashLoop: ids('storage-1') }) } },
      [holds('storage-1', 'CrashLoopOnPurpose'), ...younger],
    ],
    [
      'all crash on purpose',
      { groups: two, spec: { buggify: buggify({ crashLoop: ['*'] }) } },
      [holds('storage-1', 'CrashLoopOnPurpose'), holds('storage-2', 'CrashLoopOnPurpose')],
    ],
    [
      'the monitor configuration is empty: nothing is',
      { groups: two, spec: { buggify: buggify({ emptyMonitorConf: true }) } },
      [holds('storage-1', 'MonitorConfEmpty'), holds('storage-2', 'MonitorConfEmpty')],
    ],
    [
      'the monitor configuration is empty, and nothing fails',
      { groups: { 'storage-1': {} }, spec: { buggify: buggify({ emptyMonitorConf: true }) } },
      [],
    ],
    [
      'the cancel list names it',
      { groups: two, spec: { cancelReplacements: ids('storage-1') } },
      [holds('storage-1', 'Cancelled'), ...younger],
    ],
    [
      'its zone is under maintenance',
      { groups: two, snapshot: { maintenance: { zone: name<Zone>('zone-1'), since: at(-5), until: at(30) } } },
      [`${holds('storage-1', 'UnderMaintenance')} until +30`, ...younger],
    ],
    [
      'the maintenance is over',
      {
        groups: { 'storage-1': failing(-7200) },
        snapshot: { maintenance: { zone: name<Zone>('zone-1'), since: at(-5), until: at(0) } },
      },
      [failed('storage-1')],
    ],
    [
      'a log process is not covered by maintenance',
      {
        groups: { 'log-1': failing(-7200) },
        snapshot: { maintenance: { zone: name<Zone>('zone-1'), since: at(-5), until: at(30) } },
      },
      [failed('log-1')],
    ],
    [
      'a single server',
      { groups: { 'single-1': failing(-7200) }, spec: { engine: 'arangodb' } },
      [holds('single-1', 'NeverReplaced')],
    ],
    ['a role without a rule', { groups: { 'mystery-1': failing(-7200) } }, [holds('mystery-1', 'NoSuchRole')]],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });

  test('the maintenance that is named is that of its zone', () => {
    const maintenance = { zone: name<Zone>('zone-1'), since: at(-5), until: at(30) };
    const step = replaceFailed(surveyOf(snapshotOf({ groups: two, snapshot: { maintenance } })));
    expect(step.holds[0]?.reason.evidence).toEqual({ group: 'storage-1', zone: 'zone-1', until: at(30) });
  });
});

describe('nothing is marked while the engine is not known to serve', () => {
  const due = { groups: { 'storage-1': failing(-7200) } };
  const health = (available: boolean | 'unknown') => ({
    topology: givenTopology({ health: givenHealth({ available }) }),
  });

  test.each<[string, Cluster, readonly string[]]>([
    ['it serves', { ...due, snapshot: health(true) }, [failed('storage-1')]],
    ['it does not serve', { ...due, snapshot: health(false) }, [holds('storage-1', 'EngineUnavailable')]],
    ['nobody knows', { ...due, snapshot: health('unknown') }, [holds('storage-1', 'FactUnknown')]],
    [
      'it does not answer',
      { ...due, snapshot: { topology: { unreachable: 'refused', since: at(-30) } } },
      [holds('storage-1', 'EngineUnreachable')],
    ],
    [
      'a young failure is still said to be young',
      { groups: { 'storage-1': failing(-7199) }, snapshot: health(false) },
      [`${holds('storage-1', 'FailureTooYoung')} until +1`, 'wake +1'],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });

  test.each<[string, Cluster, string]>([
    [
      'it does not answer',
      { ...due, snapshot: { topology: { unreachable: 'refused', since: at(-30) } } },
      'storage-1 is not marked: the engine has not answered since 2026-11-14T23:59:30Z: refused',
    ],
    [
      'it does not serve',
      { ...due, snapshot: health(false) },
      'storage-1 is not marked: the engine does not serve requests',
    ],
    [
      'nobody knows',
      { ...due, snapshot: health('unknown') },
      'storage-1 stays: it is not known whether the engine serves requests',
    ],
  ])('in words: %s', (_, cluster, message) => {
    expect(replaceFailed(surveyOf(snapshotOf(cluster))).holds[0]?.reason.message).toBe(message);
  });
});

describe('a replacement whose successor finds no room is not started', () => {
  const two = { 'storage-1': failing(-7200), 'storage-2': failing(-7200) };

  test.each<[string, Cluster, readonly string[]]>([
    [
      'no room',
      { groups: { 'storage-1': failing(-7200) }, snapshot: { share: { reserved: [], quota: null } } },
      [holds('storage-1', 'NoRoom')],
    ],
    [
      'room for the second',
      { groups: two, snapshot: { share: { reserved: ids('storage-2'), quota: null } } },
      [failed('storage-2'), holds('storage-1', 'NoRoom')],
    ],
    [
      'a lower count needs no successor, for as many as it is lower',
      {
        groups: two,
        roles: [givenRole('storage', { count: 1 })],
        spec: { replacements: replacements({ maxConcurrentReplacements: 2 }) },
        snapshot: { share: { reserved: [], quota: null } },
      },
      [failed('storage-1'), holds('storage-2', 'NoRoom')],
    ],
    [
      'a successor that finds no node stops the next replacement',
      { groups: { ...two, 'storage-9': stuck('storage-9') } },
      [holds('storage-1', 'NoRoom'), holds('storage-2', 'NoRoom')],
    ],
    [
      'at the cap nobody asks for room',
      { groups: { ...two, 'log-3': { removal: markedFor() } }, snapshot: { share: { reserved: [], quota: null } } },
      [holds('storage-1', 'ReplacementCap'), holds('storage-2', 'ReplacementCap')],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });
});

describe('a taint has its own time', () => {
  const taint = (at: number) => ({ conditions: [held('NodeTaintReplacing', at), held('NodeTaintDetected', -99_999)] });
  const both = (taintAt: number, failureAt: number) => ({
    conditions: [held('NodeTaintReplacing', taintAt), held('PodFailing', failureAt)],
  });

  test.each<[string, Cluster, readonly string[]]>([
    ['1799 s', { groups: { 'storage-1': taint(-1799) } }, [`${holds('storage-1', 'TaintHold')} until +1`, 'wake +1']],
    ['1800 s', { groups: { 'storage-1': taint(-1800) } }, [tainted('storage-1')]],
    [
      'another time',
      {
        groups: { 'storage-1': taint(-10) },
        spec: { replacements: replacements({ taintReplacementTime: seconds(10) }) },
      },
      [tainted('storage-1')],
    ],
    ['only detected', { groups: { 'storage-1': { conditions: [held('NodeTaintDetected', -99_999)] } } }, []],
    [
      'a failure is due as well: that is the cause',
      { groups: { 'storage-1': both(-1800, -7200) } },
      [failed('storage-1')],
    ],
    ['the taint is due before the failure', { groups: { 'storage-1': both(-1800, -7199) } }, [tainted('storage-1')]],
    ['the failure is due before the taint', { groups: { 'storage-1': both(-1799, -7200) } }, [failed('storage-1')]],
    [
      'neither is due: both are said',
      { groups: { 'storage-1': both(-1790, -7199) } },
      [`${holds('storage-1', 'FailureTooYoung')} until +1`, `${holds('storage-1', 'TaintHold')} until +10`, 'wake +1'],
    ],
    [
      'the cap holds taints too',
      { groups: { 'storage-1': taint(-1800), 'storage-2': taint(-1800) } },
      [tainted('storage-1'), holds('storage-2', 'ReplacementCap')],
    ],
    ['off', { groups: { 'storage-1': taint(-1800) }, spec: { replacements: replacements({ enabled: false }) } }, []],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });

  test.each<[string, Cluster['groups'], string]>([
    [
      'the taints that are there, sorted',
      {
        'storage-1': {
          ...taint(-1800),
          taints: [
            { key: 'x/y', since: at(-9) },
            { key: 'b/c', since: at(-9) },
          ],
        },
      },
      'storage-1 is replaced: node-of-storage-1 is tainted with b/c and x/y',
    ],
    [
      'a taint that is gone',
      { 'storage-1': taint(-1800) },
      'storage-1 is replaced: node-of-storage-1 was tainted for long enough',
    ],
    [
      'no pod any more',
      { 'storage-1': { ...taint(-1800), pod: null } },
      'storage-1 is replaced: its node was tainted for long enough',
    ],
    [
      'no node any more',
      { 'storage-1': { ...taint(-1800), pod: givenPod('storage-1', { node: null }) } },
      'storage-1 is replaced: its node was tainted for long enough',
    ],
  ])('in words: %s', (_, groups = {}, message) => {
    const { records } = replaceFailed(surveyOf(snapshotOf({ groups })));
    expect(records[0]).toMatchObject({ reason: { message } });
  });
});
