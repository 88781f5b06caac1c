import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import {
  at,
  givenAsk,
  givenClaim,
  givenGrant,
  givenGroup,
  givenProcess,
  givenQuorum,
  givenReplica,
  givenRole,
  givenUnit,
} from '../model/testing/given.ts';
import type { Scene } from './testing/scene.ts';
import { evictionOf, replacementOf, sentencesOf, verdictIn } from './testing/scene.ts';

describe('the stricter of role, spec, policy and quorum stands', () => {
  const members = ['db-1', 'db-2', 'db-3'];
  const well: Scene = {
    groups: members,
    units: [givenUnit('u', ['db-1', 'db-2'])],
    quorums: [givenQuorum('q', members, { leader: givenProcess('db-3').id })],
  };
  const spec = (...evictionRequires: ReturnType<typeof givenRole>['evictionRequires']) => ({
    spec: { roles: [givenRole('other', { evictionRequires: ['never'] }), givenRole('db', { evictionRequires })] },
  });
  const lonely = { units: [givenUnit('u', ['db-1'])] };
  const risky = { quorums: [givenQuorum('q', members, { needed: 3 })] };
  test.each`
    situation                | scene                                | eviction
    ${'all agree'}           | ${{}}                                | ${'allow'}
    ${'the policy does not'} | ${lonely}                            | ${'wait LastReplica'}
    ${'the quorum does not'} | ${risky}                             | ${'wait QuorumAtRisk'}
    ${'neither does'}        | ${{ ...lonely, ...risky }}           | ${'wait QuorumAtRisk, LastReplica'}
    ${'the spec does not'}   | ${spec('leads-no-unit')}             | ${'wait LeadsUnits'}
    ${'the spec agrees'}     | ${spec('not-quorum-leader')}         | ${'allow'}
    ${'the spec says never'} | ${{ ...risky, ...spec('never') }}    | ${'never NeverEvicted'}
    ${'several of the spec'} | ${spec('follower', 'leads-no-unit')} | ${'wait NotFollower, LeadsUnits'}
  `('$situation: $eviction', ({ scene, eviction }) => {
    expect(evictionOf({ ...well, ...scene }, 'db-1')).toBe(eviction);
  });

  test('what the spec asks of evictions is not asked of replacements', () => {
    expect(replacementOf({ ...well, ...spec('never') }, 'db-1')).toBe('allow');
    expect(replacementOf({ ...well, ...lonely, ...risky, policy: 'always-allow' }, 'db-1')).toBe(
      'wait QuorumAtRisk, LastReplica',
    );
  });
});

describe('roles that nobody knows', () => {
  test('wait, whatever they hold', () => {
    const scene: Scene = { engine: 'arangodb', groups: ['mystery-1'] };
    expect(evictionOf(scene, 'mystery-1')).toBe('wait NoSuchRole');
    expect(replacementOf(scene, 'mystery-1')).toBe('wait NoSuchRole');
    expect(sentencesOf(verdictIn(scene, 'mystery-1').eviction)).toEqual([
      'mystery-1 stays: there is no rule for the role mystery',
    ]);
  });
});

describe('a process group that the engine does not list', () => {
  const scene = (
    given: Parameters<typeof givenGroup>[1],
    policy: Scene['policy'] = 'block-if-contains-last-replica',
  ): Scene => ({
    groups: [givenGroup('db-1', given)],
    unlisted: ['db-1'],
    policy,
  });
  test.each`
    situation                       | given                           | eviction              | replacement
    ${'it may hold anything'}       | ${{}}                           | ${'wait FactUnknown'} | ${'wait FactUnknown'}
    ${'even without a pod'}         | ${{ pod: null }}                | ${'wait FactUnknown'} | ${'wait FactUnknown'}
    ${'it was verified drained'}    | ${{ drainedAt: at(-9) }}        | ${'allow'}            | ${'allow'}
    ${'it never had an address'}    | ${{ addresses: [], pod: null }} | ${'allow'}            | ${'allow'}
    ${'no address, but a pod runs'} | ${{ addresses: [] }}            | ${'wait FactUnknown'} | ${'wait FactUnknown'}
  `('$situation: $eviction', ({ given, eviction, replacement }) => {
    expect(evictionOf(scene(given), 'db-1')).toBe(eviction);
    expect(replacementOf(scene(given), 'db-1')).toBe(replacement);
  });

  test('says so once, whatever was asked', () => {
    expect(sentencesOf(verdictIn(scene({}), 'db-1').eviction)).toEqual([
      'db-1 stays: it is not known what it holds: the engine does not list it',
    ]);
  });

  test('a figure of the engine speaks for its units', () => {
    const storage: Scene = { engine: 'foundationdb', groups: ['storage-1', 'storage-2'], unlisted: ['storage-1'] };
    expect(evictionOf(storage, 'storage-1')).toBe('allow');
    expect(evictionOf({ ...storage, policy: 'block-for-eviction' }, 'storage-1')).toBe('wait FactUnknown');
    expect(evictionOf({ ...storage, health: { zonesThatMayFail: 0 } }, 'storage-1')).toBe(
      'wait FactUnknown, NoZoneToSpare',
    );
    expect(replacementOf(storage, 'storage-1')).toBe('wait FactUnknown');
  });

  test('being drained once does not count while the engine lists it as in use', () => {
    const used: Scene = { engine: 'arangodb', groups: [givenGroup('dbserver-1', { drainedAt: at(-9) })] };
    expect(evictionOf(used, 'dbserver-1')).toBe('wait NotDrained');
  });
});

describe('a process group that was let go already', () => {
  const pair: Scene = { groups: ['db-1', 'db-2'], units: [givenUnit('u', ['db-1', 'db-2'])] };
  const granted = (...ids: readonly string[]): Scene => ({
    ...pair,
    snapshot: { grants: ids.map((id) => givenGrant(id)) },
  });

  test('may still go as long as that is safe', () => {
    expect(evictionOf(granted('db-1'), 'db-1')).toBe('allow');
  });

  test('may not any more once safety regressed', () => {
    const regressed = { ...granted('db-1'), processes: [givenProcess('db-2', { responds: false })] };
    expect(evictionOf(regressed, 'db-1')).toBe('wait LastReplica');
  });

  test('makes the other wait', () => {
    expect(evictionOf(granted('db-1'), 'db-2')).toBe('wait LastReplica');
    expect(sentencesOf(verdictIn(granted('db-1'), 'db-2').eviction)).toEqual([
      'db-2 stays: it holds the only healthy copy of unit u (db-1: let go)',
    ]);
  });
});

describe('force is not in the verdict', () => {
  test('an ask with force changes nothing', () => {
    const scene: Scene = {
      engine: 'arangodb',
      groups: ['single-1'],
      snapshot: { asks: [givenAsk('single-1', { force: 'the disk is dead anyway' })] },
    };
    expect(evictionOf(scene, 'single-1')).toBe('never NeverEvicted');
  });
});

describe('travelling data relaxes the rule of a role only where the spec says always', () => {
  const claim = givenClaim({ travels: true });
  const shards = (concern: number | null, inSync: boolean | typeof unknown = true) => [
    givenUnit(
      's1',
      [
        givenReplica('dbserver-2', { leader: true }),
        givenReplica('dbserver-1'),
        givenReplica('dbserver-3', { inSync }),
      ],
      {
        writeConcern: concern,
      },
    ),
  ];
  const scene = (dataTravels: 'auto' | 'always' | 'never', given: Scene = {}): Scene => ({
    engine: 'arangodb',
    groups: [givenGroup('dbserver-1', { claim }), 'dbserver-2', 'dbserver-3'],
    units: shards(2),
    spec: { roles: [givenRole('dbserver', { dataTravels })] },
    ...given,
  });
  test.each`
    told        | given                                          | eviction
    ${'auto'}   | ${{}}                                          | ${'wait NotDrained'}
    ${'never'}  | ${{}}                                          | ${'wait NotDrained'}
    ${'always'} | ${{}}                                          | ${'allow'}
    ${'always'} | ${{ units: shards(2, false) }}                 | ${'wait WriteConcern'}
    ${'always'} | ${{ units: shards(2, unknown) }}               | ${'wait FactUnknown'}
    ${'always'} | ${{ units: shards(null, false) }}              | ${'allow'}
    ${'always'} | ${{ units: [givenUnit('s', ['dbserver-1'])] }} | ${'wait LeadsUnits, LastReplica'}
    ${'always'} | ${{ policy: 'block-for-eviction' }}            | ${'allow'}
    ${'auto'}   | ${{ policy: 'block-for-eviction' }}            | ${'wait NotDrained'}
  `('dataTravels $told, $given: $eviction', ({ told, given, eviction }) => {
    expect(evictionOf(scene(told, given), 'dbserver-1')).toBe(eviction);
  });

  test('what the spec asks on top is not relaxed', () => {
    const roles = [givenRole('dbserver', { dataTravels: 'always', evictionRequires: ['drained'] })];
    expect(evictionOf({ ...scene('always'), spec: { roles } }, 'dbserver-1')).toBe('wait NotDrained');
  });
});

describe('redis', () => {
  const pair = (leader: string, given: Partial<Scene> = {}): Scene => ({
    engine: 'redis',
    groups: ['redis-1', 'redis-2'],
    units: [
      givenUnit('slots', [
        givenReplica('redis-1', { leader: leader === 'redis-1' }),
        givenReplica('redis-2', { leader: leader === 'redis-2' }),
      ]),
    ],
    ...given,
  });

  test('a primary hands over first, and then goes as a replica while the new one is in sync', () => {
    expect(evictionOf(pair('redis-1'), 'redis-1')).toBe('wait LeadsUnits');
    expect(evictionOf(pair('redis-2'), 'redis-1')).toBe('allow');
    const silent = { processes: [givenProcess('redis-2', { responds: false })] };
    expect(evictionOf(pair('redis-2', silent), 'redis-1')).toBe('wait LastReplica');
    expect(replacementOf(pair('redis-1'), 'redis-1')).toBe('allow');
    expect(replacementOf(pair('redis-1', silent), 'redis-1')).toBe('wait NoInSyncFollower, LastReplica');
  });
});

describe('what a process leads', () => {
  const units = [givenUnit('u3', ['db-1']), givenUnit('u1', ['db-1']), givenUnit('u2', ['db-2', 'db-1'])];
  const scene: Scene = {
    engine: 'redis',
    groups: ['db-1', 'db-2'],
    units,
    policy: 'always-allow',
  };

  test('is counted, and the first is named', () => {
    expect(sentencesOf(verdictIn(scene, 'db-1').eviction)).toEqual(['db-1 stays: it leads 2 units, first unit u1']);
  });

  test('without followers: counted, and the first is named', () => {
    expect(sentencesOf(verdictIn(scene, 'db-1').replacement)).toEqual([
      'db-1 stays: it leads unit u1, which has no in-sync follower; so does 1 other unit',
      'db-1 stays: it holds the only healthy copy of unit u1, and of 1 other unit',
    ]);
  });
});
