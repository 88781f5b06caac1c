import { describe, expect, test } from 'vitest';
import type { EngineType } from '../model/cluster-spec.ts';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { PredicateName } from '../model/role-rules.ts';
import type { Ask, Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGrant,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenQuorum,
  givenReplica,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import type { EngineHealth, Topology } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { handOff } from './hand-off.ts';
import { told, toldInWords } from './testing/told.ts';

interface World {
  readonly engine?: EngineType;
  readonly role?: string;
  readonly evictionRequires?: readonly PredicateName[];
  readonly first?: Partial<ProcessGroup>;
  readonly asks?: readonly Ask[];
  readonly topology?: Partial<Topology>;
  readonly health?: Partial<EngineHealth>;
  readonly snapshot?: Partial<Snapshot>;
}

function step(given: World = {}) {
  const { engine = 'arangodb', role = 'dbserver', evictionRequires = [], first = {} } = given;
  const { asks, topology, health, snapshot } = given;
  const ids = [1, 2, 3].map((number) => `${role}-${number}`);
  const [one = '', two = '', three = ''] = ids;
  return handOff(
    surveyOf(
      givenSnapshot({
        spec: givenSpec({ engine, roles: [givenRole(role, { count: 3, evictionRequires })] }),
        processGroups: [givenGroup(three), givenGroup(two), givenGroup(one, first)],
        asks: asks ?? [givenAsk(one)],
        topology: givenTopology({
          processes: ids.map((id) => givenProcess(id)),
          units: [givenUnit('s1', [one, two])],
          health: givenHealth({ zonesThatMayFail: null, ...health }),
          ...topology,
        }),
        ...snapshot,
      }),
    ),
  );
}
const said = (given: World = {}) => told(step(given));
const wake = 'wake at 600';
const handsOff = ['hand-off dbserver-1 [dbserver-1] (LeadsUnits)', wake];

describe('who is to go and leads hands over first', () => {
  test('it is told until it leads nothing', () => {
    expect(said()).toEqual(handsOff);
    expect(said({ topology: { units: [givenUnit('s1', ['dbserver-2', 'dbserver-1'])] } })).toEqual([]);
  });

  test('nobody is told that nobody wants gone', () => {
    expect(said({ asks: [] })).toEqual([]);
    expect(said({ asks: [givenAsk('dbserver-1', { pod: 'uid-of-the-one-before' })] })).toEqual([]);
  });

  test('a pod that is going is left alone', () => {
    expect(said({ first: { pod: givenPod('dbserver-1', { deletingSince: at(-1) }) } })).toEqual([]);
  });

  test.each`
    engine            | role                        | leads         | outcome
    ${'arangodb'}     | ${'dbserver'}               | ${'a unit'}   | ${['hand-off dbserver-1 [dbserver-1] (LeadsUnits)', wake]}
    ${'arangodb'}     | ${'agent'}                  | ${'a quorum'} | ${['hand-off agent-1 [agent-1] (QuorumLeader)', wake]}
    ${'arangodb'}     | ${'single-active-failover'} | ${'a unit'}   | ${['hand-off single-active-failover-1 [single-active-failover-1] (LeadsUnits)', wake]}
    ${'etcd'}         | ${'member'}                 | ${'a quorum'} | ${['hand-off member-1 [member-1] (QuorumLeader)', wake]}
    ${'redis'}        | ${'primary'}                | ${'a unit'}   | ${['hand-off primary-1 [primary-1] (LeadsUnits)', wake]}
    ${'longhorn'}     | ${'instance-manager'}       | ${'a unit'}   | ${[]}
    ${'foundationdb'} | ${'storage'}                | ${'a quorum'} | ${[]}
    ${'arangodb'}     | ${'coordinator'}            | ${'a unit'}   | ${[]}
    ${'foundationdb'} | ${'mystery'}                | ${'a unit'}   | ${[]}
  `('$engine $role that leads $leads: $outcome', ({ engine, role, leads, outcome }) => {
    const members = [`${role}-1`, `${role}-2`, `${role}-3`];
    const topology =
      leads === 'a unit' ? { units: [givenUnit('u', members)] } : { units: [], quorums: [givenQuorum('q', members)] };
    expect(said({ engine, role, topology })).toEqual(outcome);
  });

  test.each<[readonly PredicateName[], readonly string[]]>([
    [[], []],
    [['leads-no-unit'], ['hand-off shard-1 [shard-1] (LeadsUnits)', wake]],
    [['drained'], []],
  ])('where the spec asks for %j on top: %j', (evictionRequires, outcome) => {
    expect(said({ engine: 'http', role: 'shard', evictionRequires })).toEqual(outcome);
  });
});

describe('who is marked hands over too', () => {
  const removal = { at: at(-60), cause: 'Requested', withoutExclusion: false } as const;

  test.each`
    first                                                                                      | outcome
    ${{ removal }}                                                                             | ${['hand-off dbserver-1 [dbserver-1] (LeadsUnits)']}
    ${{ removal, drainedAt: at(-9) }}                                                          | ${[]}
    ${{ removal, removingAt: at(-9) }}                                                         | ${['hand-off dbserver-1 [dbserver-1] (LeadsUnits)']}
    ${{ removal, removingAt: at(-9), pod: null }}                                              | ${[]}
    ${{ removal, removingAt: at(-9), pod: givenPod('dbserver-1', { deletingSince: at(-5) }) }} | ${[]}
    ${{ removal: { ...removal, withoutExclusion: true }, removingAt: at(-9) }}                 | ${[]}
  `('$first', ({ first, outcome }) => {
    expect(said({ first, asks: [] })).toEqual(outcome);
  });

  test('unless a cancel holds it', () => {
    const spec = givenSpec({ engine: 'arangodb', cancelReplacements: [name('dbserver-1')] });
    expect(said({ first: { removal }, asks: [], snapshot: { spec } })).toEqual([]);
  });
});

describe('somebody has to take over', () => {
  const taker = (given: Parameters<typeof givenReplica>[1]) => ({
    units: [givenUnit('s1', [givenReplica('dbserver-1', { leader: true }), givenReplica('dbserver-2', given)])],
  });
  const nobody = ['hand-off holds dbserver-1: NoInSyncFollower', wake];

  test.each`
    follower                   | outcome
    ${{}}                      | ${handsOff}
    ${{ state: 'rebuilding' }} | ${nobody}
    ${{ state: 'failed' }}     | ${nobody}
    ${{ inSync: false }}       | ${nobody}
    ${{ inSync: unknown }}     | ${nobody}
    ${{ doomed: true }}        | ${nobody}
    ${{ running: false }}      | ${handsOff}
  `('a follower that is $follower: $outcome', ({ follower, outcome }) => {
    expect(said({ topology: taker(follower) })).toEqual(outcome);
  });

  test.each([false, unknown])('a follower whose process answers: %s', (responds) => {
    const processes = [givenProcess('dbserver-1'), givenProcess('dbserver-2', { responds })];
    expect(said({ topology: { processes } })).toEqual(nobody);
  });

  test('one that was let go does not take over', () => {
    const grants = [givenGrant('dbserver-2')];
    expect(said({ snapshot: { grants } })).toEqual(nobody);
  });

  test.each`
    others                                                                      | outcome
    ${{}}                                                                       | ${handsOff}
    ${{ snapshot: { asks: [givenAsk('dbserver-1'), givenAsk('dbserver-2')] } }} | ${['hand-off holds dbserver-1: TakersLeave', wake]}
  `('those that leave too would only hand it back: $outcome', ({ others, outcome }) => {
    expect(said(others)).toEqual(outcome);
  });

  test.each<[string, 'Pod' | 'Node', 'Pod' | 'Node', readonly string[]]>([
    ['both', 'Pod', 'Pod', ['hand-off holds dbserver-1: TakersLeave', wake]],
    ['the leader, the other one with its node', 'Pod', 'Node', handsOff],
    ['the other one, the leader with its node', 'Node', 'Pod', ['hand-off holds dbserver-1: TakersLeave', wake]],
    ['both with their nodes', 'Node', 'Node', ['hand-off holds dbserver-1: TakersLeave', wake]],
  ])('who goes first hands it to one of which only the node is drained: %s', (_, leader, taker, outcome) => {
    const asks = [givenAsk('dbserver-1', { wants: leader }), givenAsk('dbserver-2', { wants: taker })];
    expect(said({ snapshot: { asks } })).toEqual(outcome);
  });

  test('one that leaves too is waited for until whoever wants it gone has given up, also where it leads nothing itself', () => {
    const asks = [givenAsk('dbserver-1'), givenAsk('dbserver-2', { lastSeen: at(-300) })];
    const going = givenGroup('dbserver-2', { pod: givenPod('dbserver-2', { deletingSince: at(-300) }) });
    const processGroups = [givenGroup('dbserver-1'), going];
    expect(said({ snapshot: { asks, processGroups } })).toEqual([
      'hand-off holds dbserver-1: TakersLeave',
      'wake at 300',
    ]);
  });

  test('of those that could take over one has to stay', () => {
    const units = [givenUnit('s1', ['dbserver-1', 'dbserver-2', 'dbserver-3'])];
    const asks = [givenAsk('dbserver-1'), givenAsk('dbserver-2')];
    expect(said({ asks, topology: { units } })).toEqual(handsOff);
    const marked = givenGroup('dbserver-3', {
      removal: { at: at(-9), cause: 'Requested', withoutExclusion: false },
    });
    const processGroups = [givenGroup('dbserver-1'), givenGroup('dbserver-2'), marked];
    expect(said({ asks, topology: { units }, snapshot: { processGroups } })).toContain(
      'hand-off holds dbserver-1: TakersLeave',
    );
  });

  test('two processes of one pod do not take over from each other', () => {
    const processes = [givenProcess('dbserver-1'), givenProcess('dbserver-1b', { group: 'dbserver-1' })];
    expect(said({ topology: { processes, units: [givenUnit('s1', ['dbserver-1', 'dbserver-1b'])] } })).toEqual(nobody);
  });

  test('what can be handed off is, also where something else cannot', () => {
    const units = [givenUnit('s2', ['dbserver-1', 'dbserver-2']), givenUnit('s1', ['dbserver-1'])];
    const outcome = step({ topology: { units } });
    expect(told(outcome)).toEqual(handsOff);
    expect(outcome.actions[0]?.reason.message).toContain('it leads 2 units, first unit s1');
  });

  test('how many have nobody is told', () => {
    const units = [givenUnit('s2', ['dbserver-1']), givenUnit('s1', ['dbserver-1'])];
    expect(step({ topology: { units } }).holds[0]?.reason.evidence).toMatchObject({ unit: 'unit s1', more: 1 });
  });

  test.each`
    member                   | outcome
    ${{}}                    | ${['hand-off member-1 [member-1] (QuorumLeader)', wake]}
    ${{ responds: false }}   | ${['hand-off holds member-1: NoOtherFollower', wake]}
    ${{ responds: unknown }} | ${['hand-off holds member-1: NoOtherFollower', wake]}
    ${{ inSync: false }}     | ${['hand-off holds member-1: NoOtherFollower', wake]}
    ${{ inSync: unknown }}   | ${['hand-off holds member-1: NoOtherFollower', wake]}
  `('a quorum whose other member is $member: $outcome', ({ member, outcome }) => {
    const quorum = givenQuorum('q', ['member-1', 'member-2']);
    const members = quorum.members.map((one, index) => (index === 1 ? { ...one, ...member } : one));
    const topology = { units: [], quorums: [{ ...quorum, members }] };
    expect(said({ engine: 'etcd', role: 'member', topology })).toEqual(outcome);
  });

  test('in a quorum, one that was let go does not take over', () => {
    const grants = [givenGrant('member-2')];
    const topology = { units: [], quorums: [givenQuorum('q', ['member-1', 'member-2'])] };
    expect(said({ engine: 'etcd', role: 'member', topology, snapshot: { grants } })).toEqual([
      'hand-off holds member-1: NoOtherFollower',
      wake,
    ]);
  });

  test('who leads has to be known', () => {
    const quorums = [givenQuorum('q', ['member-1', 'member-2'], { leader: unknown })];
    const outcome = step({ engine: 'etcd', role: 'member', topology: { units: [], quorums } });
    expect(told(outcome)).toEqual(['hand-off holds member-1: FactUnknown', wake]);
    expect(toldInWords(outcome)[0]).toContain('who leads quorum q');
  });

  test('a quorum that someone else leads is nobody’s business', () => {
    const quorums = [givenQuorum('q', ['member-2', 'member-1'])];
    expect(said({ engine: 'etcd', role: 'member', topology: { units: [], quorums } })).toEqual([]);
  });
});

describe('the engine is told when it can be', () => {
  test.each`
    given                                                 | outcome
    ${{ health: { available: false } }}                   | ${['hand-off holds dbserver-1: EngineUnavailable', wake]}
    ${{ health: { secondsSinceRecovery: seconds(119) } }} | ${['hand-off holds dbserver-1: RecentRecovery until at 1', 'wake at 1']}
    ${{ health: { secondsSinceRecovery: seconds(120) } }} | ${handsOff}
  `('$given', ({ given, outcome }) => {
    expect(said(given)).toEqual(outcome);
  });

  test('a job that failed is tried again at its time', () => {
    const failed = givenJob('dbserver-1', { verb: 'HandOff', state: 'Failed', retryAt: at(1) });
    expect(said({ snapshot: { jobs: [failed] } })).toEqual([
      'hand-off holds dbserver-1: JobFailed until at 1',
      'wake at 1',
    ]);
    expect(said({ snapshot: { jobs: [{ ...failed, retryAt: at(0) }] } })).toEqual(handsOff);
    expect(said({ snapshot: { jobs: [{ ...failed, verb: 'Evacuate' }] } })).toEqual(handsOff);
  });
});
