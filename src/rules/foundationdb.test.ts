import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Job } from '../model/snapshot.ts';
import {
  at,
  givenClaim,
  givenGrant,
  givenGroup,
  givenNode,
  givenPod,
  givenProcess,
  givenQuorum,
  givenReplica,
  givenRole,
  givenUnit,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import type { Instant } from '../model/time.ts';
import { seconds } from '../model/time.ts';
import type { Process } from '../model/topology.ts';
import { ask } from './predicates.ts';
import type { Scene } from './testing/scene.ts';
import { evictionOf, questionIn, replacementOf, sentencesOf, verdictIn } from './testing/scene.ts';

const groups = ['storage-1', 'storage-2', 'storage-3', 'log-4', 'stateless-5'];
/** Its container began anew so many seconds ago. */
const anew = (id: string, ago: number): Scene => ({
  ...well,
  groups: groups.map((group) =>
    group === id ? givenGroup(id, { pod: givenPod(id, { restartedAt: at(-ago) }) }) : group,
  ),
});
const well: Scene = { engine: 'foundationdb', groups };
const changed = (id: string, given: Partial<Process>): Scene => ({
  ...well,
  processes: [{ ...givenProcess(id), ...given }],
});

describe('storage is evicted when it is drained, or when the engine can bear the loss of its zone', () => {
  test.each`
    situation                        | scene                                                                                 | eviction
    ${'well'}                        | ${well}                                                                               | ${'allow'}
    ${'not fully replicated'}        | ${{ ...well, health: { fullyReplicated: false } }}                                    | ${'wait NotDrained, NotFullyReplicated'}
    ${'not known whether'}           | ${{ ...well, health: { fullyReplicated: unknown } }}                                  | ${'wait NotDrained, FactUnknown'}
    ${'not serving'}                 | ${{ ...well, health: { available: false } }}                                          | ${'wait NotDrained, EngineUnavailable'}
    ${'not known whether it serves'} | ${{ ...well, health: { available: unknown } }}                                        | ${'wait NotDrained, FactUnknown'}
    ${'no zone to spare'}            | ${{ ...well, health: { zonesThatMayFail: 0 } }}                                       | ${'wait NotDrained, NoZoneToSpare'}
    ${'not known how many'}          | ${{ ...well, health: { zonesThatMayFail: unknown } }}                                 | ${'wait NotDrained, FactUnknown'}
    ${'no such figure'}              | ${{ ...well, health: { zonesThatMayFail: null } }}                                    | ${'wait NotDrained, FactUnknown'}
    ${'another zone down'}           | ${changed('storage-2', { responds: false })}                                          | ${'wait NotDrained, OtherZoneDown'}
    ${'a log of another zone down'}  | ${changed('log-4', { responds: false })}                                              | ${'wait NotDrained, OtherZoneDown'}
    ${'a zone in doubt'}             | ${changed('storage-2', { responds: unknown })}                                        | ${'wait NotDrained, FactUnknown'}
    ${'another began anew just now'} | ${anew('storage-2', 89)}                                                              | ${'wait NotDrained, BeganAnew'}
    ${'began anew a while ago'}      | ${anew('storage-2', 90)}                                                              | ${'allow'}
    ${'a stateless one anew'}        | ${anew('stateless-5', 5)}                                                             | ${'allow'}
    ${'itself anew'}                 | ${anew('storage-1', 5)}                                                               | ${'allow'}
    ${'a stateless process down'}    | ${changed('stateless-5', { responds: false })}                                        | ${'allow'}
    ${'itself down'}                 | ${changed('storage-1', { responds: false })}                                          | ${'allow'}
    ${'its own zone down'}           | ${changed('storage-2', { responds: false, zone: givenProcess('storage-1').zone })}    | ${'allow'}
    ${'drained ones may be down'}    | ${changed('storage-2', { responds: false, drained: true })}                           | ${'allow'}
    ${'itself drained'}              | ${{ ...changed('storage-1', { drained: true }), health: { zonesThatMayFail: 0 } }}    | ${'allow'}
    ${'itself perhaps drained'}      | ${{ ...changed('storage-1', { drained: unknown }), health: { zonesThatMayFail: 0 } }} | ${'wait FactUnknown, NoZoneToSpare'}
  `('$situation: $eviction', ({ scene, eviction }) => {
    expect(evictionOf(scene, 'storage-1')).toBe(eviction);
  });

  test('of one that began anew it is said by when the engine knows what that cost, of the last of them', () => {
    expect(verdictIn(anew('log-4', 30), 'storage-1').eviction).toMatchObject({
      reasons: [{ code: 'NotDrained' }, { code: 'BeganAnew', until: at(60), evidence: { other: 'log-4' } }],
    });
  });

  test('under block-for-eviction only drained counts, unless its data travels', () => {
    const moving: Scene = { ...well, policy: 'block-for-eviction' };
    expect(evictionOf(moving, 'storage-1')).toBe('wait NotDrained');
    expect(evictionOf({ ...moving, ...changed('storage-1', { drained: true }) }, 'storage-1')).toBe('allow');
    const travelling = [givenGroup('storage-1', { claim: givenClaim({ travels: true }) }), ...groups.slice(1)];
    expect(evictionOf({ ...moving, groups: travelling }, 'storage-1')).toBe('allow');
    const never = { roles: [givenRole('storage', { dataTravels: 'never' })] };
    expect(evictionOf({ ...moving, groups: travelling, spec: never }, 'storage-1')).toBe('wait NotDrained');
  });

  test('being told that data travels opens no other way: the figure still counts', () => {
    const spec = { roles: [givenRole('storage', { dataTravels: 'always' })] };
    expect(evictionOf({ ...well, spec, health: { zonesThatMayFail: 0 } }, 'storage-1')).toBe(
      'wait NotDrained, NoZoneToSpare',
    );
  });
});

describe('zones that were let go and that the engine does not count yet', () => {
  const granted = (zonesThatMayFail: number, ...ids: readonly string[]): Scene => ({
    ...well,
    health: { zonesThatMayFail },
    snapshot: { grants: ids.map((id) => givenGrant(id)) },
  });
  const spare = (scene: Scene, id = 'storage-1') => ask('one-more-zone-may-fail', questionIn(scene, id)).finding;
  test.each`
    mayFail | letGo                     | finding
    ${0}    | ${[]}                     | ${'fails'}
    ${1}    | ${[]}                     | ${'holds'}
    ${1}    | ${['storage-2']}          | ${'fails'}
    ${2}    | ${['storage-2']}          | ${'holds'}
    ${2}    | ${['storage-2', 'log-4']} | ${'fails'}
    ${3}    | ${['storage-2', 'log-4']} | ${'holds'}
    ${1}    | ${['stateless-5']}        | ${'holds'}
    ${1}    | ${['storage-1']}          | ${'holds'}
  `('$mayFail may fail, $letGo let go: $finding', ({ mayFail, letGo, finding }) => {
    expect(spare(granted(mayFail, ...letGo))).toBe(finding);
  });

  test('two of one zone are one loss', () => {
    const zone = 'zone-1';
    const scene = { ...granted(1, 'storage-2'), processes: [givenProcess('storage-2', { zone })] };
    expect(spare(scene)).toBe('holds');
    expect(evictionOf(scene, 'storage-1')).toBe('allow');
  });

  test('the sentence says how many are left', () => {
    const [, spared, other] = sentencesOf(verdictIn(granted(1, 'storage-2'), 'storage-1').eviction);
    expect(spared).toBe('storage-1 stays: the engine can bear the loss of 0 zones, and this would be one');
    expect(other).toBe('storage-1 stays: zone-2 is down or just let go');
    expect(sentencesOf(verdictIn(granted(0, 'storage-2'), 'storage-1').eviction)[1]).toContain('the loss of 0 zones');
  });

  test('one without a known zone counts as a zone of its own, and so does one that the engine does not list', () => {
    const nowhere = granted(1, 'storage-2');
    const noZone = { zone: null };
    const rows = ['storage-1', givenGroup('storage-2', noZone), 'storage-3'];
    expect(spare({ ...nowhere, groups: rows, processes: [givenProcess('storage-2', noZone)] })).toBe('fails');
    expect(spare({ ...nowhere, unlisted: ['storage-2'] })).toBe('fails');
    expect(spare({ ...nowhere, groups: rows, unlisted: ['storage-2'] })).toBe('fails');
    expect(spare({ ...nowhere, groups: [givenGroup('storage-2', noZone)], unlisted: ['storage-2'] }, 'storage-2')).toBe(
      'holds',
    );
    const stranger = {
      ...nowhere,
      processes: [givenProcess('storage-9', { ...noZone, group: 'storage-2' })],
      groups: rows,
    };
    expect(spare(stranger)).toBe('fails');
  });

  test('the zone on record stands in for one that the process does not tell', () => {
    const rows = ['storage-1', givenGroup('storage-2', { zone: 'zone-1' }), 'storage-3'];
    const scene = { ...granted(1, 'storage-2'), groups: rows, processes: [givenProcess('storage-2', { zone: null })] };
    expect(spare(scene)).toBe('holds');
  });

  test('a pod whose processes are in two zones costs two', () => {
    const second = givenProcess('storage-9', { group: 'storage-1', zone: 'zone-9' });
    expect(spare({ ...granted(1), processes: [second] })).toBe('fails');
    expect(spare({ ...granted(2), processes: [second] })).toBe('holds');
  });
});

describe('another zone is down', () => {
  const down = (scene: Scene) => {
    const finding = ask('no-other-zone-down', questionIn(scene, 'storage-1'));
    return finding.finding === 'fails' ? finding.reason.evidence['zones'] : finding.finding;
  };
  const rowLike = (given: object): Scene => ({
    ...well,
    groups: ['storage-1', givenGroup('storage-2', given)],
    unlisted: ['storage-2'],
  });
  const ended = givenPod('storage-2', { phase: 'Failed' });
  const crashes = givenPod('storage-2', { crashing: true });
  const neverRan = { addresses: [], pod: givenPod('storage-2', { phase: 'Pending' }) };
  const lostNode: Scene = {
    ...well,
    snapshot: { nodes: [givenNode('node-of-storage-1')] },
    groups: groups.slice(0, 2),
  };
  const two: Scene = {
    ...well,
    processes: ['storage-3', 'storage-2'].map((id) => givenProcess(id, { responds: false })),
  };
  const strangers: Scene = {
    ...well,
    processes: [givenProcess('storage-9', { group: null, zone: null, responds: false })],
  };
  const unknownRole: Scene = { ...well, processes: [givenProcess('odd-9', { group: null, responds: false })] };
  test.each`
    situation                         | scene                                                  | zones
    ${'none'}                         | ${well}                                                | ${'holds'}
    ${'two, in order'}                | ${two}                                                 | ${['zone-2', 'zone-3']}
    ${'its node is lost'}             | ${lostNode}                                            | ${['zone-2']}
    ${'not listed any more'}          | ${rowLike({})}                                         | ${['zone-2']}
    ${'not listed, in the same zone'} | ${rowLike({ zone: 'zone-1' })}                         | ${'holds'}
    ${'not listed, never placed'}     | ${rowLike({ zone: null })}                             | ${'holds'}
    ${'not listed, drained'}          | ${rowLike({ drainedAt: at(-5) })}                      | ${'holds'}
    ${'not listed, being removed'}    | ${rowLike({ removingAt: at(-5) })}                     | ${'holds'}
    ${'not listed, holds no data'}    | ${rowLike({ role: 'stateless' })}                      | ${'holds'}
    ${'not listed, never ran'}        | ${rowLike(neverRan)}                                   | ${'holds'}
    ${'not listed, ran before'}       | ${rowLike({ ...neverRan, addresses: ['10.0.0.2'] })}   | ${['zone-2']}
    ${'not listed, not Drover’s own'} | ${{ ...rowLike(neverRan), spec: { ownsPods: false } }} | ${['zone-2']}
    ${'someone else, of no zone'}     | ${strangers}                                           | ${['the zone of storage-9']}
    ${'a role that nobody knows'}     | ${unknownRole}                                         | ${['zone-9']}
  `('$situation: $zones', ({ scene, zones }) => {
    expect(down(scene)).toEqual(zones);
  });

  describe('one of Drover’s own that came up and was never listed', () => {
    const coming = (given: object = {}) => givenGroup('storage-2', { addresses: [], ...given });
    const scene = (...rows: readonly ProcessGroup[]): Scene => ({ ...well, groups: ['storage-1', ...rows], unlisted });
    const unlisted = ['storage-2', 'storage-3'];
    const third = givenGroup('storage-3', { addresses: [] });
    test.each`
      situation                      | groups                                 | reason
      ${'one'}                       | ${[coming()]}                          | ${'storage-1 stays: storage-2 came up, and the engine does not list it yet'}
      ${'two'}                       | ${[third, coming()]}                   | ${'storage-1 stays: storage-2 and storage-3 came up, and the engine does not list them yet'}
      ${'it crashes'}                | ${[coming({ pod: crashes })]}          | ${'storage-1 stays: storage-2 came up, and the engine does not list it yet'}
      ${'its pod ended'}             | ${[coming({ pod: ended })]}            | ${'storage-1 stays: storage-2 came up, and the engine does not list it yet'}
      ${'another zone is down, too'} | ${[coming(), givenGroup('storage-3')]} | ${'storage-1 stays: zone-3 is down or just let go'}
      ${'in the same zone'}          | ${[coming({ zone: 'zone-1' })]}        | ${undefined}
    `('$situation: $reason', ({ groups: rows, reason }) => {
      const finding = ask('no-other-zone-down', questionIn(scene(...rows), 'storage-1'));
      expect(finding.finding === 'fails' ? finding.reason.message : undefined).toBe(reason);
    });
  });

  test('its own zone is left out of those that are told', () => {
    const processes = ['storage-1', 'storage-2'].map((id) => givenProcess(id, { responds: false }));
    expect(down({ ...well, processes })).toEqual(['zone-2']);
  });

  test('two without a known zone are in different ones', () => {
    const rows = ['storage-1', 'storage-2'].map((id) => givenGroup(id, { zone: null }));
    const processes = [
      givenProcess('storage-1', { zone: null }),
      givenProcess('storage-2', { zone: null, responds: false }),
    ];
    expect(down({ ...well, groups: rows, processes })).toEqual(['the zone of storage-2']);
  });

  test('the first zone in doubt is told, and not one of its own', () => {
    const doubtful = (id: string, zone: string) => givenProcess(id, { zone, responds: unknown });
    const scene: Scene = {
      ...well,
      processes: [doubtful('log-4', 'zone-3'), doubtful('storage-3', 'zone-2'), doubtful('storage-2', 'zone-2')],
    };
    expect(ask('no-other-zone-down', questionIn(scene, 'storage-1'))).toEqual({
      finding: 'unknown',
      missing: 'whether storage-2 responds',
    });
    const reversed = { ...scene, processes: scene.processes?.toReversed() ?? [] };
    expect(ask('no-other-zone-down', questionIn(reversed, 'storage-1'))).toMatchObject({
      missing: 'whether storage-2 responds',
    });
    const own: Scene = { ...well, processes: [doubtful('storage-2', 'zone-1')] };
    expect(ask('no-other-zone-down', questionIn(own, 'storage-1')).finding).toBe('holds');
  });
});

describe('a process group is drained when the engine confirms it of every process', () => {
  const drainedIn = (scene: Scene, id = 'storage-1') => ask('drained', questionIn(scene, id));
  const second = (drained: Process['drained']) => givenProcess('storage-1-b', { group: 'storage-1', drained });
  const first = givenProcess('storage-1', { drained: true });
  const row = (given: object): Scene => ({
    ...well,
    groups: [givenGroup('storage-1', given)],
    unlisted: ['storage-1'],
  });
  const unit = (given: object) => givenUnit('u', [givenReplica('storage-1', given), givenReplica('storage-2')]);
  const coordinator = givenQuorum('coordinators', ['storage-1'], { membersMove: true });
  const raft = givenQuorum('raft', groups.slice(0, 3));
  const done: Scene = { ...well, processes: [first] };
  const toldToKeep = (evacuationAt: Instant | null): Scene => ({
    ...done,
    groups: [givenGroup('storage-1', { evacuationAt }), ...groups.slice(1)],
    snapshot: { jobs: [givenJob('storage-1', { verb: 'CancelEvacuation', state: 'Done' })] },
  });
  test.each`
    situation                          | scene                                                  | finding
    ${'told to keep it, shown empty'}  | ${toldToKeep(at(-90))}                                 | ${'fails'}
    ${'the same, long settled'}        | ${toldToKeep(null)}                                    | ${'holds'}
    ${'no data, no role'}              | ${done}                                                | ${'holds'}
    ${'data or a role'}                | ${well}                                                | ${'fails'}
    ${'not known'}                     | ${changed('storage-1', { drained: unknown })}          | ${'unknown'}
    ${'both processes'}                | ${{ ...well, processes: [first, second(true)] }}       | ${'holds'}
    ${'one of two'}                    | ${{ ...well, processes: [first, second(false)] }}      | ${'fails'}
    ${'one of two, one not known'}     | ${{ ...well, processes: [first, second(unknown)] }}    | ${'unknown'}
    ${'two generations of the log'}    | ${{ ...done, health: { activeGenerations: 2 } }}       | ${'fails'}
    ${'generations not known'}         | ${{ ...done, health: { activeGenerations: unknown } }} | ${'unknown'}
    ${'no such notion'}                | ${{ ...done, health: { activeGenerations: null } }}    | ${'holds'}
    ${'still a coordinator'}           | ${{ ...done, quorums: [coordinator] }}                 | ${'fails'}
    ${'still votes'}                   | ${{ ...done, quorums: [raft] }}                        | ${'holds'}
    ${'it is said to, and has a copy'} | ${{ ...done, units: [unit({})] }}                      | ${'unknown'}
    ${'an unused copy is none'}        | ${{ ...done, units: [unit({ state: 'unused' })] }}     | ${'holds'}
    ${'nor one that is deleted'}       | ${{ ...done, units: [unit({ doomed: true })] }}        | ${'holds'}
    ${'not listed'}                    | ${row({})}                                             | ${'unknown'}
    ${'not listed, was drained'}       | ${row({ drainedAt: at(-5) })}                          | ${'holds'}
    ${'not listed, never had a pod'}   | ${row({ addresses: [], pod: null })}                   | ${'holds'}
    ${'not listed, pod runs'}          | ${row({ addresses: [] })}                              | ${'unknown'}
    ${'not listed, was there'}         | ${row({ pod: null })}                                  | ${'unknown'}
  `('$situation: $finding', ({ scene, finding }) => {
    expect(drainedIn(scene).finding).toBe(finding);
    expect(replacementOf(scene, 'storage-1') === 'allow').toBe(finding === 'holds');
  });

  test('a pending pod that never had an address is drained', () => {
    const pod = { ...givenGroup('storage-1').pod, phase: 'Pending' };
    expect(drainedIn(row({ addresses: [], pod })).finding).toBe('holds');
    expect(evictionOf({ ...row({ addresses: [], pod }), policy: 'block-for-eviction' }, 'storage-1')).toBe('allow');
  });

  test('how far it is comes from the job that runs, the latest of several', () => {
    const job = givenJob('storage-1', { percent: 40, secondsLeft: seconds(600) });
    const others = [
      { ...job, since: at(-90), percent: 10 },
      { ...job, since: at(-1), state: 'Done' as const, percent: 100 },
      { ...job, since: at(-1), verb: 'HandOff' as const, percent: 90 },
      { ...job, since: at(-1), group: givenGroup('storage-2').id, percent: 80 },
    ];
    const said = (jobs: readonly Job[]) =>
      sentencesOf(verdictIn({ ...well, policy: 'block-for-eviction', snapshot: { jobs } }, 'storage-1').eviction);
    const expected = ['storage-1 stays: it is not drained yet, 40 %, about 10 min left'];
    expect(said([job, ...others])).toEqual(expected);
    expect(said([...others, job])).toEqual(expected);
    expect(said([])).toEqual(['storage-1 stays: it is not drained yet']);
  });
});

describe('a stateless process goes while the rest of its role, or one that stands in, serves', () => {
  const roles = ['stateless-1', 'stateless-2'];
  const serving = (scene: Partial<Scene>, id = 'stateless-1') =>
    evictionOf({ engine: 'foundationdb', groups: roles, ...scene }, id);
  const other = (given: object): Partial<Scene> => ({ processes: [givenProcess('stateless-2', given)] });
  test.each`
    situation                            | scene                                                                                                                    | eviction
    ${'the other serves'}                | ${{}}                                                                                                                    | ${'allow'}
    ${'it is alone'}                     | ${{ groups: ['stateless-1'] }}                                                                                           | ${'wait RestOfRoleDown'}
    ${'the other is down'}               | ${other({ responds: false })}                                                                                            | ${'wait RestOfRoleDown'}
    ${'the other is excluded'}           | ${other({ excluded: true })}                                                                                             | ${'wait RestOfRoleDown'}
    ${'the other was let go'}            | ${{ snapshot: { grants: [givenGrant('stateless-2')] } }}                                                                 | ${'wait RestOfRoleDown'}
    ${'the other in doubt'}              | ${other({ responds: unknown })}                                                                                          | ${'wait FactUnknown'}
    ${'exclusion in doubt'}              | ${other({ excluded: unknown })}                                                                                          | ${'wait FactUnknown'}
    ${'down, exclusion in doubt'}        | ${other({ responds: false, excluded: unknown })}                                                                         | ${'wait RestOfRoleDown'}
    ${'the other down, itself in doubt'} | ${{ processes: [givenProcess('stateless-1', { excluded: unknown }), givenProcess('stateless-2', { responds: false })] }} | ${'wait RestOfRoleDown'}
    ${'the other of its own pod'}        | ${other({ group: 'stateless-1' })}                                                                                       | ${'wait RestOfRoleDown'}
    ${'another role'}                    | ${{ groups: ['stateless-1', 'storage-2'] }}                                                                              | ${'wait RestOfRoleDown'}
    ${'a proxy stands in'}               | ${{ groups: ['stateless-1', 'proxy-2'] }}                                                                                | ${'allow'}
    ${'a backup does not'}               | ${{ groups: ['stateless-1', 'backup-2'] }}                                                                               | ${'wait RestOfRoleDown'}
    ${'not listed itself'}               | ${{ unlisted: ['stateless-1'] }}                                                                                         | ${'allow'}
  `('$situation: $eviction', ({ scene, eviction }) => {
    expect(serving(scene)).toBe(eviction);
  });

  test('the one cluster controller goes while a stateless process serves', () => {
    expect(serving({ groups: ['cluster_controller-1', 'stateless-2'] }, 'cluster_controller-1')).toBe('allow');
    expect(serving({ groups: ['cluster_controller-1'] }, 'cluster_controller-1')).toBe('wait RestOfRoleDown');
  });

  test('the first doubt is told', () => {
    const scene: Scene = {
      engine: 'foundationdb',
      groups: ['stateless-1', 'proxy-2', 'stateless-3'],
      processes: [givenProcess('stateless-3', { responds: unknown }), givenProcess('proxy-2', { excluded: unknown })],
    };
    expect(sentencesOf(verdictIn(scene, 'stateless-1').eviction)).toEqual([
      'stateless-1 stays: it is not known whether proxy-2 is excluded',
    ]);
  });

  test('its data is not asked about, and a dead one is replaced while others serve', () => {
    const units = [givenUnit('u', ['stateless-1'])];
    expect(serving({ units, policy: 'block-for-eviction' })).toBe('allow');
    const dead: Scene = { engine: 'foundationdb', groups: roles, unlisted: ['stateless-1'] };
    expect(replacementOf(dead, 'stateless-1')).toBe('allow');
    expect(replacementOf({ ...dead, groups: ['stateless-1'] }, 'stateless-1')).toBe('wait FactUnknown, RestOfRoleDown');
  });
});
