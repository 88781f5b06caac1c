import { describe, expect, test } from 'vitest';
import { nodeDrain } from '../../api/kinds.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { KubeObject } from '../../kube/object.ts';
import { pods } from '../../kube/resources.ts';
import { nodeDrains } from '../../operator/lock/begun-drains.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { droverUser } from '../../operator/manifests.ts';
import type { GuardedStore } from './testing/guarded-store.ts';
import { guardedStore, ledgerGuard, nothingLost } from './testing/guarded-store.ts';
import { kubectlDrain, kubectlEvict, uncordon } from './testing/kubectl-drain.ts';

const call = { signal: new AbortController().signal };
const codec = jsonCodec<DisruptionBudget, DisruptionBudget>((budget) => budget);

const budgets = async ({ world }: GuardedStore): Promise<readonly string[]> => {
  const { items } = await world.people.list(disruptionBudgets, codec, { ...call, namespace: 'db' });
  return items.map(({ metadata }) => metadata.name).sort();
};
const drainObject = ({ world }: GuardedStore): Promise<KubeObject & { readonly status?: unknown }> =>
  world.people.get(nodeDrains, { name: 'upgrade' }, call);
const namespaceLabels = async ({ world }: GuardedStore): Promise<KubeObject['metadata']['labels']> => {
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  return (await world.people.get(namespaces, { name: 'db' }, call)).metadata.labels;
};

describe('a guard', () => {
  test('comes up locked and healthy, says how each pod fares, and is quiet then', async () => {
    const guarded = await guardedStore();
    expect(await guarded.condition('Locked')).toMatch(/^True BudgetsInPlace/);
    expect(await guarded.condition('Healthy')).toMatch(/^True AllResponding/);
    expect(await guarded.condition('Blocked')).toMatch(/^False NothingWaits/);
    const { counts, processes } = await guarded.status();
    expect(counts).toEqual({ pods: 4, processes: 4, responding: 4, leaving: 0, waiting: 0 });
    expect(processes.map(({ process, pod, verdict }) => [process, pod, verdict])).toEqual(
      [0, 1, 2, 3].map((ordinal) => [`ledger-${ordinal}`, `ledger-${ordinal}`, 'allow']),
    );
    expect(await budgets(guarded)).toEqual(['drover-guard-ledger.shard']);
    const before = guarded.world.writes.length;
    await guarded.world.pass(600);
    expect(guarded.world.writes.slice(before)).toEqual([]);
    expect(guarded.world.errors).toEqual([]);
  });

  test('holds with the operator dead, and the drain ends once it is back', async () => {
    const guarded = await guardedStore();
    const { world } = guarded;
    const { pod, node, uid } = guarded.holder();
    await world.killOperator();
    const first = await kubectlDrain(world, node, { timeout: 30 });
    expect(first.exit).toBeUndefined();
    expect(first.said).toEqual([expect.stringContaining("would violate the pod's disruption budget. (429)")]);
    expect(guarded.pod(pod)?.uid).toBe(uid);
    world.startOperator();
    expect((await kubectlDrain(world, node)).exit).toBe(0);
    expect(guarded.store.truth()).toEqual(nothingLost);
  });

  test('whose engine says nothing keeps everything closed and says so', async () => {
    const guarded = await guardedStore();
    guarded.store.answer('none');
    await guarded.world.pass(40);
    expect(await guarded.condition('Healthy')).toMatch(/^Unknown EngineUnreachable: the engine does not answer: /);
    expect(await guarded.condition('Locked')).toMatch(/^True/);
    const { node, pod } = guarded.holder();
    const { said, exit } = await kubectlDrain(guarded.world, node, { timeout: 30 });
    expect({ exit, said: said.join('\n') }).toEqual({
      exit: undefined,
      said: expect.stringContaining(`${pod} stays: the engine has not answered since `),
    });
    const { processes, counts } = await guarded.status();
    expect(processes.map(({ verdict, responds }) => `${verdict} ${responds}`)).toEqual(Array(4).fill('wait null'));
    expect(counts).toMatchObject({ leaving: 1, waiting: 1 });
    guarded.store.answer('whole');
    expect((await kubectlDrain(guarded.world, node)).exit).toBe(0);
  });

  test('of an engine that this version cannot speak to stays locked, and says how to get out', async () => {
    const guarded = await guardedStore();
    await guarded.change({ engine: { type: 'etcd', http: null } });
    await guarded.world.pass(10);
    expect(await guarded.condition('Healthy')).toBe(
      'Unknown EngineUnreachable: the engine does not answer: this version of Drover has no engine for etcd, so its pods stay locked; delete the guard to unlock them',
    );
    expect(await guarded.condition('Locked')).toMatch(/^True/);
    const { node } = guarded.holder();
    const { said, exit } = await kubectlDrain(guarded.world, node, { timeout: 10 });
    expect({ exit, said: said.join('\n') }).toEqual({
      exit: undefined,
      said: expect.stringContaining('this version of Drover has no engine for etcd'),
    });
  });

  test('that is deleted opens everything and leaves nothing behind', async () => {
    const guarded = await guardedStore({ spec: { drainPolicy: 'block-if-contains-last-replica' } });
    expect((await namespaceLabels(guarded))?.['drover.dev/guarded']).toBe('true');
    await guarded.unguard();
    await guarded.world.pass(30);
    expect(await budgets(guarded)).toEqual([]);
    expect((await namespaceLabels(guarded))?.['drover.dev/guarded']).toBeUndefined();
    const [one, other] = guarded.pods();
    expect(await kubectlEvict(guarded.world, one?.name ?? '')).toEqual({ status: 201, warnings: [] });
    expect(await kubectlEvict(guarded.world, other?.name ?? '')).toEqual({ status: 201, warnings: [] });
  });

  test('closes a pod that somebody left open', async () => {
    const guarded = await guardedStore();
    const { pod } = guarded.holder();
    const body = { metadata: { labels: { 'drover.dev/guard': 'open' } } };
    await guarded.world.people.patch(pods, { namespace: 'db', name: pod }, { type: 'merge', body }, call);
    await guarded.world.pass(5);
    expect(guarded.pod(pod)?.labels['drover.dev/guard']).toBe('closed');
  });

  test('that matches no pod says so', async () => {
    const guarded = await guardedStore();
    await guarded.change({ roles: [{ name: 'shard', selector: { matchLabels: { app: 'leger' } } }] });
    await guarded.world.pass(5);
    expect(await guarded.condition('Locked')).toMatch(/^False NoPods: no pod of this namespace matches the selectors/);
    const { counts, processes } = await guarded.status();
    expect(counts).toMatchObject({ pods: 0, processes: 4 });
    expect(processes.map(({ pod, verdict }) => `${pod} ${verdict}`)).toEqual(Array(4).fill('null none'));
    const { pod } = guarded.holder();
    expect(await kubectlEvict(guarded.world, pod)).toEqual({ status: 201, warnings: [] });
    await guarded.change({ roles: ledgerGuard.roles });
    await guarded.world.pass(60);
    expect(await guarded.condition('Locked')).toMatch(/^True/);
    expect((await guarded.status()).counts).toMatchObject({ pods: 4, responding: 4 });
  });
});

describe('pods that others guard too', () => {
  test("somebody else's budget: the lock steps aside, says whose, and comes back", async () => {
    const guarded = await guardedStore();
    const foreign: DisruptionBudget = {
      metadata: { namespace: 'db', name: 'chart' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'ledger' } } },
    };
    await guarded.world.people.create(disruptionBudgets, foreign, call);
    await guarded.world.pass(5);
    expect(await guarded.condition('Locked')).toMatch(/^False ForeignBudget: db\/chart selects some/);
    await guarded.world.people.delete(disruptionBudgets, foreign.metadata, call);
    await guarded.world.pass(5);
    expect(await guarded.condition('Locked')).toMatch(/^True BudgetsInPlace/);
  });

  test('the older of two guards keeps them, and the younger one takes over once it is gone', async () => {
    const guarded = await guardedStore();
    await guarded.guard(ledgerGuard, 'another');
    await guarded.world.pass(35);
    expect(await guarded.condition('Locked')).toMatch(/^True/);
    expect(await guarded.condition('Locked', 'another')).toBe(
      'False OverlappingGuard: some of these pods are locked by EvictionGuard ledger already; change one of the selectors',
    );
    expect(await guarded.condition('Healthy', 'another')).toMatch(/^Unknown NotAsked/);
    expect(await budgets(guarded)).toEqual(['drover-guard-ledger.shard']);
    const before = guarded.world.writes.length;
    await guarded.world.pass(300);
    expect(guarded.world.writes.slice(before)).toEqual([]);
    await guarded.unguard();
    await guarded.world.pass(35);
    expect(await guarded.condition('Locked', 'another')).toMatch(/^True/);
    expect(await guarded.condition('Healthy', 'another')).toMatch(/^True/);
    expect(await budgets(guarded)).toEqual(['drover-guard-another.shard']);
    expect((await namespaceLabels(guarded))?.['drover.dev/guarded']).toBe('true');
  });

  test('two roles of one guard: nothing is let go until one of the selectors is changed', async () => {
    const guarded = await guardedStore();
    const [shard] = ledgerGuard.roles;
    const archive = { name: 'archive', selector: { matchLabels: { tier: 'shard' } } };
    await guarded.change({ roles: [shard, archive] });
    await guarded.world.pass(5);
    expect(await guarded.condition('Locked')).toBe(
      'False OverlappingGuard: some of these pods are locked by shard and archive of this very guard, such as ledger-0, already; change one of the selectors',
    );
    const { pod } = guarded.holder();
    expect(await kubectlEvict(guarded.world, pod)).toMatchObject({ status: 500 });
    await guarded.change({ roles: [shard] });
    await guarded.world.pass(5);
    expect(await guarded.condition('Locked')).toMatch(/^True/);
    expect(await kubectlEvict(guarded.world, pod)).toMatchObject({ status: 201 });
  });
});

describe('kubectl drain of guarded pods', () => {
  test('passes inside the one call where every rule agrees, and does not chase the pod that comes after', async () => {
    const guarded = await guardedStore();
    const { pod, node, uid } = guarded.holder();
    expect(await kubectlDrain(guarded.world, node)).toEqual({ said: [], exit: 0 });
    await guarded.world.pass(20);
    const again = guarded.pod(pod);
    expect(again?.uid).not.toBe(uid);
    expect(again?.nodeName).not.toBe(node);
    const late = await kubectlEvict(guarded.world, pod);
    expect(late).toEqual({ status: 404, warnings: [expect.stringContaining('is its successor and stays')] });
    expect(guarded.pod(pod)?.uid).toBe(again?.uid);
    expect(guarded.store.truth()).toEqual(nothingLost);
  });

  test('asks a leader to hand over first where the guard wants that', async () => {
    const [shard] = ledgerGuard.roles;
    const guarded = await guardedStore({
      spec: { roles: [{ name: 'shard', selector: shard?.selector ?? {}, evictionRequires: ['leads-no-unit'] }] },
    });
    const leads = (pod: string) =>
      guarded.store.whole().units.filter(({ replicas }) => replicas.some((one) => one.process === pod && one.leader));
    const leader = guarded.pods().find(({ name }) => leads(name).length > 0);
    expect((await guarded.row(leader?.name ?? ''))?.verdict).toBe('wait');
    expect(await guarded.condition('Blocked')).toMatch(/^False/);
    const { said, exit } = await kubectlDrain(guarded.world, leader?.nodeName ?? '');
    expect({ exit, said: said.join('\n') }).toEqual({
      exit: 0,
      said: expect.stringContaining(`${leader?.name} stays: it leads`),
    });
    expect(guarded.store.truth()).toEqual(nothingLost);
  });

  // By the README somebody tries it out with the operator on their own account, whose evictions the webhook is asked about.
  test.each([droverUser, 'jane'])(
    'goes on when kubectl has given up, with an operator that runs as %s',
    async (runsAs) => {
      const guarded = await guardedStore({
        runsAs,
        spec: { drainPolicy: 'block-for-eviction' },
        storageClass: 'local',
      });
      const { pod, node, uid } = guarded.holder();
      expect((await kubectlDrain(guarded.world, node, { timeout: 5 })).exit).toBeUndefined();
      expect(await guarded.world.until(() => guarded.copiesOn(pod) === 0, 300)).toBe(true);
      expect(await guarded.world.until(() => guarded.pod(pod)?.uid !== uid, 15)).toBe(true);
      expect(guarded.store.truth()).toEqual(nothingLost);
    },
  );

  test('waits for the data where the policy asks for that, says how far it is, and passes; the next pod of that name is used again', async () => {
    const guarded = await guardedStore({ spec: { drainPolicy: 'block-for-eviction' }, storageClass: 'local' });
    const { pod, node } = guarded.holder();
    const { said, exit } = await kubectlDrain(guarded.world, node);
    expect({ exit, said: said.join('\n') }).toEqual({
      exit: 0,
      said: expect.stringContaining(`${pod} stays: 3 copies must move away first`),
    });
    // Its disk is on the drained node: somebody whose kubectl still goes by the name is not kept waiting for that.
    await guarded.world.pass(5);
    expect(await kubectlEvict(guarded.world, pod)).toEqual({
      status: 404,
      warnings: [expect.stringContaining(`${pod} has left; the pod of that name finds no node for now: 0/9 nodes`)],
    });
    expect(guarded.copiesOn(pod)).toBe(0);
    await uncordon(guarded.world, node);
    const isUsed = () => guarded.store.whole().processes.every(({ excluded }) => excluded === false);
    expect(await guarded.world.until(isUsed, 300)).toBe(true);
    await guarded.world.pass(60);
    expect((await guarded.row(pod))?.evacuationTimestamp).toBeNull();
    expect(guarded.store.truth()).toEqual(nothingLost);
  });

  test('a NodeDrain is done once the guard has let the pod go, and says what it waits for until then', async () => {
    const guarded = await guardedStore({ spec: { drainPolicy: 'block-for-eviction' }, storageClass: 'local' });
    const { pod, node, uid } = guarded.holder();
    const drain: KubeObject & { readonly spec: object } = { metadata: { name: 'upgrade' }, spec: { nodes: [node] } };
    await guarded.world.people.create(nodeDrains, drain, call);
    const read = async () => nodeDrain.status.parse((await drainObject(guarded)).status ?? {});
    await guarded.world.pass(30);
    expect((await read()).nodes).toMatchObject([
      { name: node, waiting: [{ pod: `db/${pod}`, reasons: [{ code: 'HoldsReplicas' }] }] },
    ]);
    // As far, and as long, as whoever evicts it is told.
    const told = (await kubectlEvict(guarded.world, pod)).warnings.join();
    const [, percent, left] = /(\d+) %, about (\d+) s left/.exec(told) ?? [];
    const status = await read();
    const [row] = status.nodes[0]?.waiting ?? [];
    expect({ told, percent: row?.progressPercent }).toEqual({ told, percent: Math.floor(Number(percent) / 5) * 5 });
    const end = (Date.parse(row?.estimatedEnd ?? '') - guarded.world.clock.now()) / 1000;
    expect(Math.abs(end - Number(left))).toBeLessThanOrEqual(5);
    expect(status.estimateBasis).toMatch(
      new RegExp(`^db/${pod} is the last, and this is its earliest end: ${pod} stays: \\d copies must move`),
    );
    expect(await guarded.world.until(async () => (await read()).phase === 'Completed', 600)).toBe(true);
    expect(guarded.copiesOn(pod)).toBe(0);
    expect(guarded.pod(pod)?.uid).not.toBe(uid);
    expect(guarded.store.truth()).toEqual(nothingLost);
  });

  test('that is given up and uncordoned is undone', async () => {
    const guarded = await guardedStore({ spec: { drainPolicy: 'block-for-eviction' }, storageClass: 'local' });
    const { pod, node, uid } = guarded.holder();
    await kubectlDrain(guarded.world, node, { timeout: 5 });
    expect((await guarded.row(pod))?.evacuationTimestamp).not.toBeNull();
    expect((await guarded.status()).counts.leaving).toBe(1);
    await uncordon(guarded.world, node);
    await guarded.world.pass(120);
    expect((await guarded.row(pod))?.evacuationTimestamp).toBeNull();
    expect(guarded.store.whole().processes.map(({ excluded }) => excluded)).toEqual([false, false, false, false]);
    expect(await guarded.status()).toMatchObject({ asks: [], counts: { leaving: 0, waiting: 0 } });
    expect(guarded.pod(pod)?.uid).toBe(uid);
  });

  test('that can never pass says so until it gives up', async () => {
    const guarded = await guardedStore({ store: { replicationFactor: 1 } });
    const { pod, node, uid } = guarded.holder();
    const { said, exit } = await kubectlDrain(guarded.world, node, { timeout: 60 });
    expect({ exit, said: said.join('\n') }).toEqual({
      exit: undefined,
      said: expect.stringContaining('the only healthy copy'),
    });
    expect(await guarded.condition('Blocked')).toMatch(new RegExp(`^True LastReplica: ${pod} .*the only healthy copy`));
    expect(guarded.pod(pod)?.uid).toBe(uid);
  });

  test('of two nodes at the same moment by two people never takes both copies', async () => {
    const guarded = await guardedStore();
    const { world, store } = guarded;
    const [unit] = store.whole().units;
    const [a = '', b = ''] = (unit?.replicas ?? []).map(({ process }) => guarded.pod(process)?.nodeName);
    const drained = await Promise.all([
      kubectlDrain(world, a, { by: 'jane', timeout: 600 }),
      kubectlDrain(world, b, { by: 'joe', timeout: 600 }),
    ]);
    expect(drained.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(drained.flatMap(({ said }) => said).join('\n')).toMatch(/just let go|: let go/);
    expect(store.truth()).toEqual(nothingLost);
  });
});
