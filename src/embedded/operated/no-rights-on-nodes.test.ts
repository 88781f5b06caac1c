import { describe, expect, onTestFinished, test } from 'vitest';
import { jsonLogger } from '../../kube/log.ts';
import { seededRandom } from '../../kube/random.ts';
import { nodes } from '../../kube/resources.ts';
import { names } from '../../operator/names.ts';
import { runOperator } from '../../operator/operator.ts';
import { budgets } from '../cluster/resources.ts';
import { OperatedWorld } from './operated-world.ts';
import { Denied, forbidden } from './refusal.ts';
import { drainStory } from './testing/drain-story.ts';
import { runningCluster } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };
const noNodes = { unreadable: [nodes.plural] };
const web = { metadata: { labels: { app: 'web' } } };
const grant =
  'Drover may not read nodes: give its role get, list, watch and patch of nodes, as deploy/rbac.yaml has it (forbidden: the role does not allow it (403))';

describe('an operator that may not read nodes, where nothing needs them', () => {
  test('is ready', async () => {
    const world = new OperatedWorld({ nodes: 1 });
    const stop = new AbortController();
    const denied = new Denied(noNodes.unreadable);
    await world.begin();
    await world.killOperator();
    const direct = world.cluster.transport('system:serviceaccount:drover:drover');
    let port: number | undefined;
    const running = runOperator(
      {
        connection: { server: new URL('http://memory'), source: 'memory', credentials: () => Promise.reject() },
        transport: {
          close: () => {},
          send: (request, signal) =>
            denied.refuses(request) ? Promise.resolve(forbidden) : direct.send(request, signal),
        },
        clock: world.clock,
        random: seededRandom(1),
        logger: jsonLogger({ level: 'silent', clock: world.clock }),
        namespace: names.namespace,
        identity: 'one',
        host: '127.0.0.1',
        healthPort: 0,
        webhookPort: 0,
        onListening: ({ health }) => {
          port = health;
        },
      },
      stop.signal,
    );
    onTestFinished(async () => {
      stop.abort();
      await world.pass(10);
      await running;
      await world.end();
    });
    const ready = async () => {
      await world.pass(0.5);
      return port === undefined ? 'not listening' : (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    };
    await expect.poll(ready, { timeout: 20_000 }).toBe(200);
    expect(denied.tries).toBe(0);
  });

  test('runs a cluster and guards it, and does not ask for nodes', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction', trigger: 'Eviction' }, 1, noNodes);
    const { world } = cluster;
    expect(world.denied.tries).toBe(0);
    const id = (await cluster.ids('storage'))[0] ?? '';
    await expect(world.people.evict({ namespace: 'db', name: `orders-${id}` }, call)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining(`drover: ${id} stays: `),
    });
  });
});

describe('a NodeDrain, while Drover may not read nodes', () => {
  test('says so and what to grant, and begins when that is granted', async () => {
    const story = await drainStory(noNodes);
    await story.owned('web', 'n1');
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    expect(await story.says('upgrade')).toEqual(['Pending']);
    const { conditions, observedGeneration } = (await story.status('upgrade')) ?? {};
    const message = `nothing is begun: ${grant}`;
    expect(conditions).toMatchObject([
      { type: 'Completed', status: 'False', reason: 'NodesUnreadable', message },
      { type: 'Blocked', status: 'True', reason: 'NodesUnreadable', message },
    ]);
    expect(observedGeneration).toBe(1);
    const before = story.world.writes.length;
    await story.pass(300);
    expect(story.world.writes.length).toBe(before);
    story.world.denied.rights.clear();
    // As long as a reader waits between two tries.
    expect(await story.until('upgrade', 'Completed', 70)).toBe(true);
    expect(await story.reason('upgrade', 'Blocked')).toBe('NothingWaits');
    expect(story.world.errors).toEqual([]);
  });

  test('says nothing of rights any more once they are there, but that there is no such node', async () => {
    const story = await drainStory(noNodes);
    const deadline = new Date(story.world.clock.now() + 3_600_000).toISOString();
    await story.drain('typo', { nodes: ['n9'], deadline });
    await story.pass(5);
    expect(await story.reason('typo', 'DeadlineAtRisk')).toBe('NotKnown');
    story.world.denied.rights.clear();
    await story.pass(70);
    expect((await story.status('typo'))?.conditions.map(({ reason }) => reason)).toEqual(['NoNodes']);
  });

  test('can be taken back at once', async () => {
    const story = await drainStory(noNodes);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    await story.cancel('upgrade');
    await story.pass(1);
    expect(await story.says('upgrade')).toEqual(['gone']);
  });

  test.each`
    restarted
    ${true}
    ${false}
  `(
    'that was begun goes no further, and goes on with the right; operator restarted: $restarted',
    async ({ restarted }) => {
      const story = await drainStory();
      await story.owned('web', 'n1', web);
      await story.budget('web', { minAvailable: 1, selector: { matchLabels: { app: 'web' } } });
      await story.pass(5);
      await story.drain('upgrade', {
        nodes: ['n1'],
        deadline: new Date(story.world.clock.now() + 60_000).toISOString(),
      });
      await story.pass(15);
      if (restarted) await story.world.killOperator();
      story.world.denied.rights.add(nodes.plural);
      if (restarted) story.world.startOperator();
      // A watch that was allowed once lives on for minutes.
      const isSaid = async () => (await story.reason('upgrade', 'Blocked')) === 'NodesUnreadable';
      expect(await story.world.until(isSaid, 720)).toBe(true);
      const blocked = (await story.status('upgrade'))?.conditions.find(({ type }) => type === 'Blocked');
      expect(blocked?.message).toBe(`nothing goes on: ${grant}`);
      await story.change(budgets, 'web', { spec: { minAvailable: 0 } });
      await story.pass(60);
      expect(story.podsOn('n1')).toEqual(['web']);
      expect(await story.reason('upgrade', 'DeadlineAtRisk')).toBe('DeadlinePassed');
      story.world.denied.rights.clear();
      expect(await story.until('upgrade', 'Completed', 120)).toBe(true);
      expect(await story.reason('upgrade', 'Completed')).toBe('AllDrained');
    },
  );
});

describe('a NodeDrain that cordoned a node which Drover may no longer read', () => {
  test.each`
    done     | says
    ${true}  | ${'Completed'}
    ${false} | ${'Cancelling'}
  `('and is deleted says why it stays, and goes with the right; done: $done', async ({ done, says }) => {
    const story = await drainStory();
    if (done !== true) await story.attach('csi-1', 'n1', 'pvc-1');
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    story.world.denied.rights.add(nodes.plural);
    await story.cancel('upgrade');
    await story.pass(5);
    expect((await story.status('upgrade'))?.phase).toBe(says);
    expect(await story.blocked('upgrade')).toMatchObject({
      reason: 'NodesUnreadable',
      message: `it is not taken back yet: ${grant}`,
    });
    const before = story.world.writes.length;
    await story.pass(120);
    expect(story.world.writes.length).toBe(before);
    story.world.denied.rights.clear();
    await story.pass(31);
    expect(await story.says('upgrade')).toEqual(['gone']);
    expect(await story.isCordoned('n1')).toBe(done);
  });
});

describe('a NodeDrain, while Drover may read nodes and not change them', () => {
  const message = `nothing goes on: ${grant.replace('read', 'change')}`;

  test('says that it cannot cordon one, and goes on with the right', async () => {
    const story = await drainStory({ unreadable: ['PATCH nodes'] });
    await story.owned('web', 'n1');
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    expect(await story.blocked('upgrade')).toMatchObject({ reason: 'NodesUnreadable', message });
    const before = story.world.writes.length;
    await story.pass(120);
    expect(story.world.writes.length).toBe(before);
    expect(story.podsOn('n1')).toEqual(['web']);
    story.world.denied.rights.clear();
    expect(await story.until('upgrade', 'Completed', 35)).toBe(true);
    expect(await story.blocked('upgrade')).toMatchObject({ reason: 'NothingWaits' });
    expect(story.world.errors).toEqual([]);
  });

  test('says that it cannot give one back, and does with the right', async () => {
    const story = await drainStory();
    await story.attach('csi-1', 'n1', 'pvc-1');
    await story.drain('upgrade', { nodes: ['n1'], afterwards: 'Uncordon' });
    await story.pass(5);
    story.world.denied.rights.add('PATCH nodes');
    await story.detach('csi-1');
    await story.pass(5);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
    expect(await story.blocked('upgrade')).toMatchObject({ reason: 'NodesUnreadable', message });
    story.world.denied.rights.clear();
    await story.pass(45);
    expect(await story.isCordoned('n1')).toBe(false);
    expect(await story.blocked('upgrade')).toMatchObject({ reason: 'NothingWaits' });
  });
});

test('a node that changes while a NodeDrain waits for it is seen at once, also if the drain was there before the operator', async () => {
  const story = await drainStory();
  await story.world.killOperator();
  await story.drain('upgrade', { nodes: ['n9'] });
  story.world.startOperator();
  await story.pass(2);
  expect(await story.reason('upgrade', 'Completed')).toBe('NoNodes');
  await story.world.cluster.addNode({ name: 'n9', zone: 'z1' });
  await story.pass(3);
  expect(await story.says('upgrade')).toEqual(['Completed', 'n9 Drained 0']);
});
