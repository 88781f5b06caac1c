import { describe, expect, test } from 'vitest';
import { nodeDrain } from '../api/kinds.ts';
import type { NodeDrainStatus } from '../api/v1alpha1/node-drain.schema.ts';
import { KubeClient } from '../kube/client.ts';
import { epochMillis, seconds } from '../kube/clock.ts';
import { seededRandom } from '../kube/random.ts';
import type { Node } from '../kube/resources.ts';
import { FakeApi } from '../kube/testing/fake-api.ts';
import { VirtualClock } from '../kube/testing/virtual-clock.ts';
import { name } from '../model/ids.ts';
import { reasons } from '../model/reasons.ts';
import { drainExitCodes, farewell, untilOf } from './drain.ts';
import { drainName } from './drain-request.ts';
import { newsBetween, prospectsOf, prospectsTable, whatWaits, willNeverEnd } from './drain-text.ts';
import type { DrainEnd } from './follow-drain.ts';
import { followDrain } from './follow-drain.ts';
import { runDrover } from './testing/run-drover.ts';
import { drainsOf, uncordon } from './uncordon.ts';

const since = '2026-11-15T00:00:00.000Z';
const waits = (pod: string, code: string, verdict = 'wait') => ({
  pod,
  verdict,
  reasons: [{ code, message: `${pod} says ${code}`, since, until: null }],
});
const row = (phase: string, podsLeft: number, waiting: readonly object[] = [], more: object = {}) => ({
  name: 'n1',
  phase,
  podsLeft,
  podsWaiting: waiting.length,
  waiting,
  ...more,
});
const statusOf = (phase: string, nodes: readonly ReturnType<typeof row>[]): NodeDrainStatus => {
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);
  const podsLeft = sum(nodes.map((one) => one.podsLeft));
  const podsWaiting = sum(nodes.map((one) => one.podsWaiting));
  const counts = { nodes: nodes.length, nodesDrained: 0, podsLeft, podsWaiting };
  return nodeDrain.status.parse({ observedGeneration: 1, phase, counts, nodes });
};
const status = (phase: string, podsLeft: number, waiting: readonly object[] = [], node = 'Draining'): NodeDrainStatus =>
  statusOf(phase, [row(node, podsLeft, waiting)]);
const drained = status('Completed', 0, [], 'Drained');

describe('what is told of a drain', () => {
  test('is what changed, once', () => {
    const first = status('Draining', 2, [waits('a/x', 'BudgetHolds'), waits('a/y', 'PodGoing')]);
    expect(newsBetween(undefined, first)).toEqual([
      'node/n1 cordoned',
      'node/n1: 2 pods left',
      'waits: a/x says BudgetHolds',
    ]);
    expect(newsBetween(first, first)).toEqual([]);
    expect(newsBetween(first, status('Draining', 1))).toEqual(['node/n1: 1 pod left']);
    expect(newsBetween(first, drained)).toEqual(['node/n1 drained']);
  });

  test('and why nothing goes on at all, once', () => {
    const message = 'nothing goes on: Drover may not read nodes';
    const blocked = { type: 'Blocked', status: 'True', reason: 'NodesUnreadable', lastTransitionTime: since, message };
    const begun = status('Draining', 1, [waits('a/x', 'BudgetHolds')]);
    const given = nodeDrain.status.parse({ ...begun, conditions: [blocked] });
    expect(newsBetween(begun, given)).toEqual([`waits: ${message}`]);
    expect(newsBetween(given, given)).toEqual([]);
    expect(whatWaits(given)).toEqual([`  ${message}`, '  a/x on n1: BudgetHolds: a/x says BudgetHolds']);
    const held = { ...blocked, reason: 'BudgetHolds' };
    expect(newsBetween(begun, nodeDrain.status.parse({ ...begun, conditions: [held] }))).toEqual([]);
  });

  test('and what holds it, with the code', () => {
    const ofNode = { reasons: waits('n2', 'NodeWaits').reasons, name: 'n2' };
    const given = statusOf('Draining', [
      row('Draining', 4, [waits('a/x', 'BudgetHolds')], { podsWaiting: 3 }),
      row('Pending', 1, [], ofNode),
      row('Gone', 0, [], { name: 'n3', reasons: waits('n3', 'NodeGone').reasons }),
    ]);
    expect(whatWaits(given)).toEqual([
      '  a/x on n1: BudgetHolds: a/x says BudgetHolds',
      '  n1: 2 more pods wait',
      '  n2: NodeWaits: n2 says NodeWaits',
    ]);
  });

  test('and both reasons that are on record of a pod: the one that says how long is not always the first', () => {
    const codes = ['LeadsUnits', 'LastReplica'];
    const reasons = (...some: readonly string[]) => some.flatMap((code) => waits('a/x', code).reasons);
    const given = (...some: readonly string[]) =>
      status('Draining', 1, [{ ...waits('a/x', ''), reasons: reasons(...some) }]);
    const news = newsBetween(given('LeadsUnits'), given(...codes));
    expect(news).toEqual(['waits: a/x says LastReplica']);
    expect(whatWaits(given(...codes))).toEqual(codes.map((code) => `  a/x on n1: ${code}: a/x says ${code}`));
  });

  test('and a message that would forge a line of its own does not', () => {
    expect(whatWaits(status('Draining', 1, [waits('a/x\n  b', 'BudgetHolds')]))).toEqual([
      '  a/x   b on n1: BudgetHolds: a/x   b says BudgetHolds',
    ]);
  });

  test.each`
    what                              | given                                                                                          | never
    ${'all that is left never goes'}  | ${status('Pending', 2, [waits('a/x', 'UnmanagedPod', 'never'), waits('a/y', 'NodeBlocked')])}  | ${true}
    ${'something else still leaves'}  | ${status('Draining', 2, [waits('a/x', 'NeverEvicted', 'never')])}                              | ${false}
    ${'something waits that may end'} | ${status('Draining', 2, [waits('a/x', 'NeverEvicted', 'never'), waits('a/y', 'BudgetHolds')])} | ${false}
    ${'nothing is left'}              | ${status('Draining', 0)}                                                                       | ${false}
    ${'it is done'}                   | ${drained}                                                                                     | ${false}
  `('$what: never $never', ({ given, never }) => {
    expect(willNeverEnd(given)).toBe(never);
  });

  const single = row('Draining', 1, [waits('wiki/single-1', 'NeverEvicted', 'never')], { name: 'n0' });
  const bare = waits('a/x', 'UnmanagedPod', 'never');
  const turn = { reasons: waits('n1', 'NodeWaits').reasons };
  const many = Array.from({ length: 99 }, (_, index) => waits(`a/${index}`, 'NodeBlocked'));
  test.each`
    what                              | other                                                                          | never
    ${'is drained'}                   | ${row('Drained', 0)}                                                           | ${true}
    ${'is gone'}                      | ${row('Gone', 0, [], { reasons: waits('n1', 'NodeGone').reasons })}            | ${true}
    ${'never ends, either'}           | ${row('Draining', 1, [waits('a/x', 'NeverEvicted', 'never')])}                 | ${true}
    ${'is blocked by a setting'}      | ${row('Pending', 2, [bare, waits('a/y', 'NodeBlocked')])}                      | ${true}
    ${'is blocked, begun'}            | ${row('Draining', 2, [bare, waits('a/y', 'NodeBlocked')])}                     | ${true}
    ${'is blocked, with many pods'}   | ${row('Draining', 150, [bare, ...many], { podsWaiting: 150 })}                 | ${true}
    ${'is blocked, and not listed'}   | ${row('Pending', 3, [], { podsWaiting: 3 })}                                   | ${true}
    ${'waits, and is not listed'}     | ${row('Draining', 3, [], { podsWaiting: 3 })}                                  | ${false}
    ${'waits its turn'}               | ${row('Pending', 1, [], turn)}                                                 | ${false}
    ${'waits its turn, with a never'} | ${row('Pending', 2, [bare], turn)}                                             | ${false}
    ${'was not read yet'}             | ${row('Pending', 0, [], { reasons: waits('n1', 'NodeNotRead').reasons })}      | ${false}
    ${'has volumes left'}             | ${row('Draining', 0, [], { reasons: waits('n1', 'VolumesAttached').reasons })} | ${false}
    ${'waits for a budget'}           | ${row('Draining', 1, [waits('a/x', 'BudgetHolds')])}                           | ${false}
    ${'is being drained'}             | ${row('Draining', 1)}                                                          | ${false}
  `('one node never ends and the other $what: never $never', ({ other, never }) => {
    expect(willNeverEnd(statusOf('Draining', [single, other]))).toBe(never);
  });

  test('a plan as a table', () => {
    const reason = { code: 'X', message: 'because', since: null, until: null };
    const late = { ...reason, code: 'Y', message: 'and late' };
    const letsGo = { ...reason, ...reasons.guardLetsGo({ pod: 'a/w', cluster: 'a/guard' }) };
    const pods = prospectsOf({
      outlook: 'going',
      cordon: [],
      estimate: null,
      wakeAt: null,
      evict: [{ name: 'a/x', node: name('n1'), budgets: [], precondition: { uid: name('u') } }],
      nodes: [
        {
          name: name('n1'),
          phase: 'Draining',
          reasons: [],
          podsLeft: 2,
          waiting: [
            { pod: 'a/w', kind: 'wait', reasons: [letsGo], progressPercent: null, estimatedEnd: null },
            { pod: 'a/y', kind: 'never', reasons: [reason, late], progressPercent: null, estimatedEnd: null },
          ],
          ignored: [{ pod: 'a/z', reason }],
        },
      ],
    });
    expect(prospectsTable(pods)).toBe(
      [
        'NODE   POD   WOULD   WHY',
        'n1     a/x   evict',
        'n1     a/w   evict   a/w goes when a/guard, which guards it, has it evicted: nothing holds it',
        'n1     a/y   NEVER   because; and late',
        'n1     a/z   leave   because',
      ].join('\n'),
    );
  });
});

describe('a drain is followed', () => {
  const follow = async (looks: readonly (NodeDrainStatus | undefined)[], until?: number, isCurrent = true) => {
    const clock = new VirtualClock();
    const said: string[] = [];
    let look = 0;
    const read = () => {
      const seen = looks[Math.min(look++, looks.length - 1)];
      return Promise.resolve(seen === undefined ? undefined : { status: seen, isCurrent });
    };
    const at = until === undefined ? undefined : epochMillis(clock.now() + until * 1000);
    const stop = new AbortController();
    const following = followDrain(
      { clock, read, until: at, say: (line) => said.push(line), show: () => {} },
      stop.signal,
    );
    await clock.pass(seconds(30));
    stop.abort();
    return { end: (await following).end, said };
  };
  const waiting = status('Draining', 1, [waits('a/x', 'BudgetHolds')]);
  const stuck = status('Pending', 1, [waits('a/x', 'UnmanagedPod', 'never')], 'Pending');

  test.each`
    looks                   | until        | end
    ${[waiting, drained]}   | ${undefined} | ${'drained'}
    ${[waiting]}            | ${10}        | ${'time-up'}
    ${[waiting, stuck]}     | ${undefined} | ${'never'}
    ${[waiting, undefined]} | ${undefined} | ${'deleted'}
    ${[waiting]}            | ${undefined} | ${'stopped'}
  `('until it is $end', async ({ looks, until, end }) => {
    expect((await follow(looks, until)).end).toBe(end);
  });

  test.each`
    given                               | until
    ${{}}                               | ${undefined}
    ${{ timeout: 0 }}                   | ${undefined}
    ${{ timeout: 90_000 }}              | ${100_000}
    ${{ deadline: epochMillis(5_000) }} | ${5_000}
  `('given $given at 10 s: until $until', ({ given, until }) => {
    expect(untilOf(given, epochMillis(10_000))).toBe(until);
  });

  test('and what was said before the settings were changed ends nothing', async () => {
    expect((await follow([stuck], undefined, false)).end).toBe('stopped');
  });

  test('and a drain that nobody takes up is said to be one', async () => {
    const { said } = await follow([nodeDrain.status.parse({})]);
    expect(said).toEqual([expect.stringContaining('is the operator running?')]);
  });

  test.each<[DrainEnd, number, string]>([
    ['drained', 0, 'completed'],
    ['deleted', 1, 'was deleted by somebody'],
    ['time-up', 3, 'kubectl delete nodedrain drain-n1 takes it back'],
    ['never', 4, 'kubectl delete nodedrain drain-n1 takes it back'],
    ['stopped', 130, 'the drain goes on'],
  ])('%s ends with %d and says what to do', (end, code, words) => {
    expect(drainExitCodes[end]).toBe(code);
    expect(farewell(end, 'drain-n1', []).join('\n')).toContain(words);
  });
});

describe('the same nodes have the same drain', () => {
  test.each`
    nodes                                                | named
    ${['n1']}                                            | ${'drain-n1'}
    ${['n2', 'n1']}                                      | ${'drain-n1-n2'}
    ${Array.from({ length: 30 }, (_, i) => `node-${i}`)} | ${expect.stringMatching(/^drain-30-nodes-[0-9a-f]{10}$/)}
  `('$nodes', ({ nodes, named }) => {
    expect(drainName(nodes)).toEqual(named);
    expect(drainName(nodes.toReversed())).toEqual(named);
  });
});

describe('uncordon takes back the drains of the nodes', () => {
  test('and only those', () => {
    const drains = [
      { name: 'a', nodes: ['n1'], kept: [] },
      { name: 'b', nodes: ['n2'], kept: [] },
      { name: 'done', nodes: [], kept: [] },
    ];
    expect(drainsOf(['n1', 'n3'], drains)).toEqual({ takenBack: ['a'] });
  });

  test('and refuses where one has others, too', () => {
    expect(() => drainsOf(['n1'], [{ name: 'a', nodes: ['n1', 'n2'], kept: [] }])).toThrow(
      'NodeDrain a has n2, too: name all its nodes, or take it back with kubectl delete nodedrain a, which uncordons all of them',
    );
  });

  test('and where one has drained others, which may be switched off by now', () => {
    const drains = [{ name: 'a', nodes: ['n1'], kept: ['n2'] }];
    expect(() => drainsOf(['n1'], drains)).toThrow('NodeDrain a has n2, too: name all its nodes');
    expect(drainsOf(['n1', 'n2'], drains)).toEqual({ takenBack: ['a'] });
    expect(drainsOf(['n2'], drains)).toEqual({ takenBack: [] });
  });

  test.each`
    node            | faster   | says                    | was
    ${'cordoned'}   | ${false} | ${'uncordoned'}         | ${'cordoned'}
    ${'cordoned'}   | ${true}  | ${'uncordoned'}         | ${'cordoned'}
    ${'uncordoned'} | ${false} | ${'already uncordoned'} | ${'uncordoned'}
  `('and says of a node that was $node how it was, if the operator is faster: $faster', async (given) => {
    const clock = new VirtualClock();
    const api = new FakeApi(clock);
    const [node, drain] = ['/api/v1/nodes/n1', '/apis/drover.dev/v1alpha1/nodedrains/drain-n1'];
    api.put(node, { metadata: { name: 'n1', uid: 'u-1' }, spec: { unschedulable: given.node === 'cordoned' } });
    api.put(drain, { metadata: { name: 'drain-n1', uid: 'u-2' }, spec: { nodes: ['n1'] } });
    api.onWritten = (path) => {
      if (path === drain && given.faster) api.put(node, { metadata: { name: 'n1', uid: 'u-1' }, spec: {} });
    };
    const client = new KubeClient({ transport: api, clock, random: seededRandom(1) });
    const lines: string[] = [];
    const done = await uncordon(client, ['n1'], (line) => lines.push(line), new AbortController().signal);
    expect(lines).toEqual(['nodedrain/drain-n1 deleted: it was under way', `node/n1 ${given.says}`]);
    expect(done).toEqual({ takenBack: ['drain-n1'], nodes: [{ name: 'n1', was: given.was }] });
    expect(api.at<Node>(node)?.spec?.unschedulable ?? false).toBe(false);
  });
});

describe('on the command line', { timeout: 60_000 }, () => {
  test.each(['drain', 'uncordon'])('%s shows an example in its help, and its exit codes', async (command) => {
    const { exitCode, stdout } = await runDrover([command, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ {2}\\$ drover ${command} n1`, 'm'));
    expect(stdout).toContain('Exit codes: 0 ');
  });

  test.each([
    ['no node', ['drain'], 'name the nodes'],
    ['nodes and labels', ['drain', 'n1', '-l', 'a=b'], 'not both'],
    ['a timeout that is none', ['drain', 'n1', '--timeout', 'soon'], 'length of time'],
    ['no timeout, and a deadline', ['drain', 'n1', '--timeout', '0', '--deadline', since], 'give one of them'],
    ['neither yes nor no', ['drain', 'n1', '--ignore-daemonsets=maybe'], 'unknown option'],
    ['no node', ['uncordon'], 'name the nodes'],
  ])('called with %s it says so and ends with 2', async (_, args, says) => {
    const { exitCode, stdout, stderr } = await runDrover(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});
