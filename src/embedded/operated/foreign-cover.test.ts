import { describe, expect, test } from 'vitest';
import { isNotFound } from '../../kube/errors.ts';
import type { Pod, ValidatingWebhookConfiguration } from '../../kube/resources.ts';
import { pods, validatingWebhookConfigurations } from '../../kube/resources.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import type { OperatedWorld } from './operated-world.ts';
import type { GuardedStoreOptions } from './testing/guarded-store.ts';
import { guardedStore, nothingLost } from './testing/guarded-store.ts';
import { kubectlDrain, kubectlEvict } from './testing/kubectl-drain.ts';
import { rolesWith, runningCluster } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };

/** The budget of a chart, which lets any one of the pods go. */
const chart = (matchLabels: Readonly<Record<string, string>>): DisruptionBudget => ({
  metadata: { namespace: 'db', name: 'chart' },
  spec: { maxUnavailable: 1, selector: { matchLabels } },
});

/** A guarded store whose chart brought a budget. */
async function underAChart(options: GuardedStoreOptions = {}) {
  const guarded = await guardedStore(options);
  await guarded.world.people.create(disruptionBudgets, chart({ app: 'ledger' }), call);
  await guarded.world.pass(10);
  return guarded;
}

async function cover({ people }: OperatedWorld): Promise<ValidatingWebhookConfiguration | undefined> {
  try {
    return await people.get(validatingWebhookConfigurations, { name: 'drover-foreign' }, call);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const namesIn = (configuration: ValidatingWebhookConfiguration | undefined): string =>
  JSON.stringify(configuration?.webhooks?.map(({ matchConditions }) => matchConditions?.[1]?.expression));

describe('pods that the budget of somebody else selects', () => {
  test('cannot be evicted while Drover is dead, although that budget would let them; a neighbour can', async () => {
    const guarded = await underAChart();
    const { world } = guarded;
    const web: Pod = {
      metadata: { namespace: 'db', name: 'web' },
      spec: { containers: [{ name: 'web', image: 'w' }] },
    };
    await world.people.create(pods, web, call);
    await world.pass(10);
    await world.killOperator();
    const { pod, node, uid } = guarded.holder();
    expect((await kubectlEvict(world, pod)).status).toBe(500);
    const { exit, said } = await kubectlDrain(world, node);
    expect(exit).toBe(1);
    expect(said.join()).toContain('failed calling webhook "ledger.db.guard.foreign.drover.dev"');
    expect(guarded.pod(pod)?.uid).toBe(uid);
    expect((await kubectlEvict(world, 'web')).status).toBe(201);
  });

  test('are answered about from the decision while it lives, and an eviction counts once', async () => {
    const spec = { drainPolicy: 'block-for-eviction', trigger: 'Eviction' } as const;
    const guarded = await underAChart({ spec, storageClass: 'local' });
    const { world } = guarded;
    const { pod, node, uid } = guarded.holder();
    const first = await kubectlDrain(world, node, { timeout: 5 });
    expect(first.said.join()).toContain('must move away first');
    await world.pass(1);
    expect((await guarded.status()).asks).toMatchObject([{ pod, by: 'jane', times: 1 }]);
    expect((await kubectlDrain(world, node)).exit).toBe(0);
    await world.pass(30);
    expect(guarded.pod(pod)?.uid).not.toBe(uid);
    expect(guarded.store.truth()).toMatchObject(nothingLost);
  });

  test('go within the one call where every rule agrees', async () => {
    const guarded = await underAChart();
    const { node } = guarded.holder();
    expect(await kubectlDrain(guarded.world, node)).toEqual({ said: [], exit: 0 });
    expect(guarded.store.truth()).toMatchObject(nothingLost);
  });

  test('stay while Drover has just started and has read nothing yet', async () => {
    const guarded = await underAChart();
    const { world } = guarded;
    await world.killOperator();
    world.startOperator();
    const { pod, uid } = guarded.holder();
    await expect(world.people.evict({ namespace: 'db', name: pod }, call)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('Drover has just started and reads what it guards'),
    });
    expect(guarded.pod(pod)?.uid).toBe(uid);
    await world.pass(10);
    expect((await kubectlEvict(world, pod)).status).toBe(201);
  });

  test('are said to be covered, and are uncovered with that budget', async () => {
    const guarded = await underAChart();
    const { world } = guarded;
    expect(await guarded.condition('Locked')).toMatch(/^False ForeignBudget: db\/chart .*the webhook drover-foreign/);
    expect(namesIn(await cover(world))).toContain("['ledger-0', 'ledger-1', 'ledger-2', 'ledger-3']");
    const before = world.writes.length;
    await world.pass(300);
    expect(world.writes.slice(before)).toEqual([]);
    await world.people.delete(disruptionBudgets, chart({}).metadata, call);
    await world.pass(10);
    expect(await cover(world)).toBeUndefined();
    expect(await guarded.condition('Locked')).toMatch(/^True/);
  });

  test('are uncovered with their guard, also where that goes while Drover is dead', async () => {
    const guarded = await underAChart();
    const { world } = guarded;
    await world.killOperator();
    await guarded.unguard();
    await world.pass(5);
    expect(await cover(world)).toBeDefined();
    world.startOperator();
    await world.pass(5);
    expect(await cover(world)).toBeUndefined();
  });

  test('are left to that budget while Drover is dead, where the webhook is declined, and the status says so', async () => {
    const guarded = await underAChart({ coversForeign: false });
    const { world } = guarded;
    expect(await cover(world)).toBeUndefined();
    expect(await guarded.condition('Locked')).toContain(
      'while Drover is down that budget alone decides about them, because Drover was started with --no-foreign-webhook',
    );
    await world.killOperator();
    expect((await kubectlEvict(world, guarded.holder().pod)).status).toBe(201);
  });

  test('are covered in a cluster too, of that role alone, and new ones with the rest', async () => {
    const cluster = await runningCluster();
    const { world } = cluster;
    await world.people.create(disruptionBudgets, chart({ 'drover.dev/role': 'log' }), call);
    await world.pass(10);
    const logs = async () => (await cluster.ids('log')).map((id) => `'orders-${id}'`).toSorted();
    expect(namesIn(await cover(world))).toBe(JSON.stringify([`request.name in [${(await logs()).join(', ')}]`]));
    const before = (await logs()).length;
    await cluster.change({ roles: rolesWith('log', { count: before + 1 }) });
    await cluster.settles(300);
    expect(await logs()).toHaveLength(before + 1);
    expect(namesIn(await cover(world))).toBe(JSON.stringify([`request.name in [${(await logs()).join(', ')}]`]));
  });
});
