import { describe, expect, test } from 'vitest';
import { evictionGuard } from '../../api/kinds.ts';
import type { EvictionGuardStatus } from '../../api/v1alpha1/eviction-guard.schema.ts';
import { decide } from '../../decide.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGrant,
  givenGroup,
  givenHealth,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../../model/testing/given.ts';
import { applyRecords } from '../../plan/apply-records.ts';
import type { LockState } from '../lock/lock-state.ts';
import { locked } from '../lock/lock-state.ts';
import { someGuard } from '../testing/some-guard.ts';
import { guardStatusOf } from './guard-status.ts';
import { recordedInGuard } from './recorded-guard.ts';

const spec = givenSpec({
  engine: 'http',
  ownsPods: false,
  roles: [givenRole('shard', { shape: null })],
  drainPolicy: 'block-if-contains-last-replica',
});
const ids = ['shard-1', 'shard-2', 'shard-3'];
const processes = ids.map((id) => givenProcess(id));
const health = givenHealth({ zonesThatMayFail: null, activeGenerations: null, secondsSinceRecovery: null });
const topology = givenTopology({ processes, units: [givenUnit('u', ['shard-1', 'shard-2'])], health });
const silent = { unreachable: 'nobody is there', since: at(-60) };

function status(given: Partial<Snapshot> = {}, before: object = {}, lock: LockState = locked): EvictionGuardStatus {
  const groups = ids.map((id) => givenGroup(id, { claim: 'none', service: 'none' }));
  const snapshot = givenSnapshot({ spec, processGroups: groups, topology, ...given });
  const decision = decide(snapshot);
  const after = applyRecords(snapshot, decision.records);
  return guardStatusOf({ guard: someGuard({}, before), after, decision, jobs: [], asks: [], lock });
}
const condition = ({ conditions }: EvictionGuardStatus, type: string): string => {
  const { status: is, reason, message } = conditions.find((one) => one.type === type) ?? {};
  return `${is} ${reason}: ${message}`;
};

describe('the condition Healthy', () => {
  test.each`
    given                                                                                                                  | says
    ${{}}                                                                                                                  | ${'True AllResponding: the engine answers, and all of its processes respond'}
    ${{ topology: silent }}                                                                                                | ${'Unknown EngineUnreachable: the engine does not answer: nobody is there'}
    ${{ topology: { ...topology, health: { ...health, available: 'unknown' } } }}                                          | ${'Unknown EngineUnreachable: the engine answers, and does not say whether it serves requests'}
    ${{ topology: { ...topology, health: { ...health, available: false } } }}                                              | ${'False EngineUnavailable: the engine does not serve requests'}
    ${{ topology: { ...topology, processes: [...processes.slice(1), givenProcess('shard-1', { responds: false })] } }}     | ${'False ProcessesNotResponding: shard-1 does not respond'}
    ${{ topology: { ...topology, processes: processes.slice(1) } }}                                                        | ${'False ProcessesNotResponding: the engine lists no process in shard-1'}
    ${{ topology: { ...topology, processes: [...processes.slice(1), givenProcess('shard-1', { responds: 'unknown' })] } }} | ${'Unknown ProcessesNotResponding: the engine does not say whether shard-1 responds'}
  `('$says', ({ given, says }) => {
    expect(condition(status(given), 'Healthy')).toBe(says);
  });
});

describe('the condition Locked', () => {
  test.each<[LockState, Partial<Snapshot>, string]>([
    [locked, {}, 'True BudgetsInPlace'],
    [locked, { processGroups: [] }, 'False NoPods'],
    [{ is: 'foreign', budgets: ['db/chart'] }, {}, 'False ForeignBudget'],
    [{ is: 'missing', why: 'forbidden', budgets: [] }, {}, 'False BudgetMissing'],
  ])('%j with %j: %s', (lock, given, says) => {
    expect(condition(status(given, {}, lock), 'Locked')).toContain(says);
  });
});

describe('the rows', () => {
  test('one for each process, by pod; then those that run in no guarded pod', () => {
    const more = [givenProcess('shard-1b', { group: 'shard-1' }), { ...givenProcess('outside'), group: null }];
    const { processes: rows } = status({ topology: { ...topology, processes: [...more, ...processes] } });
    expect(rows.map(({ process, pod, verdict }) => `${process} ${pod} ${verdict}`)).toEqual([
      'shard-1 shard-1 allow',
      'shard-1b shard-1 allow',
      'shard-2 shard-2 allow',
      'shard-3 shard-3 allow',
      'outside null none',
    ]);
  });

  test('an engine that says nothing has forgotten nobody, and nobody may go', () => {
    const before = status({ topology: { ...topology, processes: [givenProcess('p', { group: 'shard-1' })] } });
    const { processes: rows, counts, observedAt } = status({ topology: silent }, before);
    expect(rows.map(({ process, responds, verdict }) => `${process} ${responds} ${verdict}`)).toEqual([
      'p null wait',
      'shard-2 null wait',
      'shard-3 null wait',
    ]);
    expect(rows[0]?.waitingFor[0]?.code).toBe('EngineUnreachable');
    expect(counts).toMatchObject({ processes: 1, responding: 0, leaving: 0, waiting: 0 });
    expect(observedAt).toBe(before.observedAt);
  });

  test('a pod that is away has one until the engine lists nothing of it any more', () => {
    const processGroups = [givenGroup('shard-1', { pod: null, claim: 'none', service: 'none' })];
    const rows = (given: Partial<Snapshot>) => status({ processGroups, ...given }).processes.map(({ pod }) => pod);
    expect(rows({ topology: { ...topology, processes: processes.slice(0, 1) } })).toEqual(['shard-1']);
    expect(rows({ topology: { ...topology, processes: [] } })).toEqual([]);
  });

  test('what must outlive the process is read back as it was written', () => {
    const conditions = [{ type: 'MissingProcesses' as const, since: at(-40) }];
    const processGroups = ids.map((id) =>
      givenGroup(id, { claim: 'none', service: 'none', evacuationAt: at(-20), conditions, addresses: ['10.0.0.1:80'] }),
    );
    const written = status({ processGroups, topology: silent, grants: [givenGrant('shard-1')] });
    const { pods, grants } = recordedInGuard(evictionGuard.status.parse(JSON.parse(JSON.stringify(written))));
    expect(pods.map(({ pod, evacuationAt }) => [pod, evacuationAt])).toEqual(ids.map((id) => [id, at(-20)]));
    expect(pods[0]).toMatchObject({ role: 'shard', addresses: ['10.0.0.1:80'] });
    expect(pods[0]?.conditions).toContainEqual({ type: 'MissingProcesses', since: at(-40) });
    expect(grants).toEqual([givenGrant('shard-1')]);
  });

  test('no more than a thousand, and those that are being emptied among them', () => {
    const processGroups = Array.from({ length: 1005 }, (_, index) =>
      givenGroup(`shard-${index}`, { claim: 'none', service: 'none', evacuationAt: index > 1002 ? at(-20) : null }),
    );
    const { processes: rows } = status({ processGroups, topology: silent });
    expect(rows).toHaveLength(1000);
    expect(rows.filter(({ evacuationTimestamp }) => evacuationTimestamp !== null)).toHaveLength(2);
  });
});

describe('whom somebody wants gone', () => {
  const alone = { ...topology, units: [givenUnit('u', ['shard-1'])] };

  test('one that may not go is counted, and speaks in Blocked; one that nobody wants only has its verdict', () => {
    const asked = status({ topology: alone, asks: [givenAsk('shard-1')] });
    expect(asked.counts).toMatchObject({ leaving: 1, waiting: 1 });
    expect(condition(asked, 'Blocked')).toMatch(/^True LastReplica: shard-1 stays/);
    const quiet = status({ topology: alone });
    expect(quiet.counts).toMatchObject({ leaving: 0, waiting: 0 });
    expect(condition(quiet, 'Blocked')).toBe('False NothingWaits: nobody waits for a pod to go');
    expect(quiet.processes[0]).toMatchObject({ verdict: 'wait', waitingFor: [{ code: 'LastReplica' }] });
  });

  test('one that may go is granted in the status first', () => {
    const { grants, counts } = status({ asks: [givenAsk('shard-1')] });
    expect(grants).toMatchObject([{ pod: 'shard-1', closedAt: null, goneAt: null }]);
    expect(counts).toMatchObject({ leaving: 1, waiting: 0 });
  });
});

test('while nothing happens it is the very status that is there, however often the engine is read', () => {
  const before = status();
  const later = { ...topology, observedAt: at(30) };
  expect(status({ topology: later, now: at(30) }, before)).toEqual(before);
  const changed = { ...later, processes: processes.slice(1) };
  expect(status({ topology: changed, now: at(30) }, before).observedAt).not.toBe(before.observedAt);
});
