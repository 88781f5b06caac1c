import { describe, expect, onTestFinished, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { seconds } from '../../kube/clock.ts';
import { jsonCodec } from '../../kube/codec.ts';
import { Informer } from '../../kube/informer.ts';
import type { Labels } from '../../kube/label-selection.ts';
import type { KubeObject } from '../../kube/object.ts';
import { seededRandom } from '../../kube/random.ts';
import type { Resource } from '../../kube/resource.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../kube/transport.ts';
import type { ReadOptions } from '../../operator/controller.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { LockKeeper } from '../../operator/lock/lock-keeper.ts';
import type { LockOwner } from '../../operator/lock/lock-owner.ts';
import { EmbeddedApiServer } from '../api-server/api-server.ts';
import { inProcessTransport } from '../api-server/in-process-transport.ts';

const alive = new AbortController().signal;
const call = { signal: alive };
const namespaces: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const owner = (name: string): LockOwner => ({ kind: 'StatefulCluster', namespace: 'db', name, uid: `uid-${name}` });
const orders = owner('orders');
const role = (name: string, labels: Labels = { role: name }) => ({ role: name, selector: { matchLabels: labels } });
const [storage, log] = [role('storage'), role('log')];
const labels = [{ role: 'storage' }, { role: 'log' }];
const foreign: DisruptionBudget = {
  metadata: { namespace: 'db', name: 'chart' },
  spec: { maxUnavailable: 1, selector: { matchLabels: { role: 'log' } } },
};

/** A keeper on an API server in memory, which refuses what `refuses` names. */
async function given() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  // Without the garbage collector: the owners of these locks are nowhere.
  const server = new EmbeddedApiServer({ clock, random, controllers: false, namespaces: ['db'] });
  const state = { refuses: '', writes: new Array<string>() };
  const direct = inProcessTransport(server);
  const forbidden = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    message: 'no',
    code: 403,
  });
  const transport: Transport = {
    close: () => {},
    send: async (request, signal) => {
      const isWrite = request.method !== 'GET';
      if (isWrite) state.writes.push(`${request.method} ${request.path.split('?', 1)[0]?.split('/').at(-1)}`);
      if (!isWrite || state.refuses === '' || !request.path.includes(state.refuses))
        return direct.send(request, signal);
      return { status: 403, headers: {}, warnings: [], body: oneChunk(forbidden) };
    },
  };
  const client = new KubeClient({ transport, clock, random });
  const people = new KubeClient({ transport: direct, clock, random });
  const informer = <T, Index extends string>(options: ReadOptions<T, Index>) =>
    new Informer<T, Index>({
      ...options,
      client,
      clock,
      random,
      onHandlerError: () => {},
      onHealth: () => {},
      onRead: () => {},
    });
  const keeper = new LockKeeper({ informer, client });
  const end = new AbortController();
  onTestFinished(() => end.abort());
  for (const one of keeper.informers) void one.run(end.signal);
  await clock.pass(seconds(1));
  const heard: string[] = [];
  keeper.subscribe((namespace) => heard.push(namespace));
  const seen = () => clock.pass(seconds(1));
  return { keeper, people, state, heard, seen };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

type Given = Awaited<ReturnType<typeof given>>;

/** The locks are kept, and the watch has told of it. */
async function keep({ keeper, seen }: Given, roles = [storage, log], whose = orders) {
  const lock = await keeper.keep(whose, roles, labels, alive);
  await seen();
  return lock;
}

async function budgets({ people }: Given): Promise<readonly string[]> {
  const codec = jsonCodec<DisruptionBudget, string>(({ metadata }) => metadata.name);
  return (await people.list(disruptionBudgets, codec, { ...call, namespace: 'db' })).items.toSorted();
}

const mark = async ({ people }: Given) =>
  (await people.get(namespaces, { name: 'db' }, call)).metadata.labels?.['drover.dev/guarded'];

const both = ['drover-cluster-orders-log', 'drover-cluster-orders-storage'];

describe('the keeper of the locks', () => {
  test('makes one for each role, marks the namespace, and then leaves both alone', async () => {
    const world = await given();
    expect(await keep(world)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual(both);
    expect(await mark(world)).toBe('true');
    const before = world.state.writes.length;
    await keep(world);
    expect(world.state.writes).toHaveLength(before);
  });

  test('does not mind that one is there of which the watch has not told yet', async () => {
    const world = await given();
    await Promise.all([
      world.keeper.keep(orders, [storage], labels, alive),
      world.keeper.keep(orders, [storage], labels, alive),
    ]);
    expect(await budgets(world)).toEqual(['drover-cluster-orders-storage']);
  });

  test.each([
    ['the budget', { spec: { minAvailable: 1 } }],
    ['whom it selects', { spec: { selector: { matchLabels: { role: 'nobody' } } } }],
    ['what makes sick pods go', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }],
    ['whose it is', { metadata: { ownerReferences: null } }],
    ['that it is a lock', { metadata: { labels: null } }],
  ])('mends it when somebody changes %s, and hears of that', async (_, body) => {
    const world = await given();
    await keep(world);
    const key = { namespace: 'db', name: 'drover-cluster-orders-log' };
    const before = await world.people.get(disruptionBudgets, key, call);
    world.heard.length = 0;
    await world.people.patch(disruptionBudgets, key, { type: 'merge', body }, call);
    await world.seen();
    expect(world.heard).toEqual(['db']);
    expect(await keep(world)).toEqual({ is: 'locked' });
    const after = await world.people.get(disruptionBudgets, key, call);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.ownerReferences).toEqual(before.metadata.ownerReferences);
    expect(after.metadata.labels).toEqual(before.metadata.labels);
  });

  test('takes it away with its role, and does not mind that somebody was faster', async () => {
    const world = await given();
    await keep(world);
    await keep(world, [storage]);
    expect(await budgets(world)).toEqual(['drover-cluster-orders-storage']);
    await world.people.delete(disruptionBudgets, { namespace: 'db', name: 'drover-cluster-orders-storage' }, call);
    expect(await world.keeper.keep(orders, [], labels, alive)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual([]);
  });

  test.each(['poddisruptionbudgets', 'namespaces/db'])('says so where it may not write %s', async (what) => {
    const world = await given();
    world.state.refuses = what;
    expect(await keep(world)).toEqual({ is: 'missing', why: expect.stringContaining('403') });
    world.state.refuses = '';
    expect(await keep(world)).toEqual({ is: 'locked' });
  });

  test('steps aside for the budget of somebody else with that role alone, and comes back', async () => {
    const world = await given();
    await keep(world);
    await world.people.create(disruptionBudgets, foreign, call);
    await world.seen();
    expect(await keep(world)).toEqual({ is: 'foreign', budgets: ['db/chart'] });
    expect(await budgets(world)).toEqual(['chart', 'drover-cluster-orders-storage']);
    await world.people.delete(disruptionBudgets, foreign.metadata, call);
    await world.seen();
    expect(await keep(world)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual(both);
  });

  test('of two owners that want the same pods has the first one keep them', async () => {
    const world = await given();
    await keep(world);
    expect(await keep(world, [storage], owner('late'))).toEqual({
      is: 'overlapping',
      owners: ['StatefulCluster orders'],
    });
    expect(await budgets(world)).toEqual(both);
    expect(await keep(world)).toEqual({ is: 'locked' });
  });
});

describe('a namespace', () => {
  test('is unmarked with the last of its guards, and not while another is there', async () => {
    const world = await given();
    await keep(world, [storage]);
    await keep(world, [log], owner('late'));
    await world.keeper.leave('StatefulCluster', 'db/orders', alive);
    expect(await mark(world)).toBe('true');
    for (const name of await budgets(world))
      await world.people.delete(disruptionBudgets, { namespace: 'db', name }, call);
    await world.seen();
    await world.keeper.leave('StatefulCluster', 'db/late', alive);
    expect(await mark(world)).toBeUndefined();
    await world.seen();
    const before = world.state.writes.length;
    await world.keeper.leave('StatefulCluster', 'db/late', alive);
    expect(world.state.writes).toHaveLength(before);
  });

  test('that loses its mark is heard of and marked again', async () => {
    const world = await given();
    await keep(world);
    world.heard.length = 0;
    const body = { metadata: { labels: { 'drover.dev/guarded': null } } };
    await world.people.patch(namespaces, { name: 'db' }, { type: 'merge', body }, call);
    await world.seen();
    expect(world.heard).toEqual(['db']);
    await keep(world);
    expect(await mark(world)).toBe('true');
  });
});
