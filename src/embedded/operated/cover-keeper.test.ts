import { describe, expect, test } from 'vitest';
import type { KubeClient } from '../../kube/client.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { ValidatingWebhookConfiguration } from '../../kube/resources.ts';
import { validatingWebhookConfigurations } from '../../kube/resources.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { webhookConfiguration } from '../../operator/manifests.ts';
import type { GivenKeeper } from './testing/given-keeper.ts';
import { alive, budgets, call, foreign, givenKeeper, keep, log, owner } from './testing/given-keeper.ts';

/** What covers pods that no lock can be on: `orders: log-1 log-2`. */
async function covers({ people }: GivenKeeper): Promise<readonly string[]> {
  const found = await configuration(people);
  return (found?.webhooks ?? []).map(({ name, matchConditions = [] }) => {
    const [, ofPods] = matchConditions;
    return `${name.split('.', 1)[0]}: ${ofPods?.expression.replaceAll(/request.name in|[[\]',]/g, '').trim()}`;
  });
}

async function configuration(people: KubeClient) {
  const codec = jsonCodec<ValidatingWebhookConfiguration, ValidatingWebhookConfiguration>((one) => one);
  const { items } = await people.list(validatingWebhookConfigurations, codec, call);
  return items.find(({ metadata }) => metadata.name === 'drover-foreign');
}

const chartWith = (role: string): DisruptionBudget => ({
  metadata: { namespace: 'db', name: 'chart' },
  spec: { maxUnavailable: 1, selector: { matchLabels: { role } } },
});

describe('pods on which no lock can be', () => {
  /** Somebody else's budget is on the logs. */
  async function stepsAside(world: GivenKeeper) {
    await keep(world);
    await world.people.create(disruptionBudgets, foreign, call);
    await world.seen();
    return keep(world);
  }

  test('are covered by name before their lock goes, and until it is back', async () => {
    const world = await givenKeeper();
    await stepsAside(world);
    expect(await covers(world)).toEqual(['orders: log-1 log-2']);
    const written = world.state.writes.slice(-2);
    expect(written).toEqual(['POST validatingwebhookconfigurations', 'DELETE drover-cluster-orders.log']);
    const before = world.state.writes.length;
    await keep(world);
    expect(world.state.writes).toHaveLength(before);
    await world.people.delete(disruptionBudgets, foreign.metadata, call);
    await world.seen();
    await keep(world);
    expect(await configuration(world.people)).toBeUndefined();
    expect(world.state.writes.slice(before)).toEqual(['POST poddisruptionbudgets', 'DELETE drover-foreign']);
  });

  test('are asked about where the voice is asked, by everyone but Drover, in their namespace alone', async () => {
    const world = await givenKeeper();
    const value = 'Q0E=';
    const operations = [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value }] as const;
    const voice = { name: 'drover' };
    await world.people.patch(validatingWebhookConfigurations, voice, { type: 'json', operations }, call);
    await stepsAside(world);
    expect((await configuration(world.people))?.webhooks).toMatchObject([
      {
        name: 'orders.db.cluster.foreign.drover.dev',
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        clientConfig: {
          service: { namespace: 'drover', name: 'drover-webhook', path: '/evict-foreign' },
          caBundle: value,
        },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'db' } },
        matchConditions: [
          { expression: "request.userInfo.username != 'system:serviceaccount:drover:drover'" },
          { expression: "request.name in ['log-1', 'log-2']" },
        ],
        rules: [{ operations: ['CREATE'], resources: ['pods/eviction'] }],
      },
    ]);
  });

  test('of another role come to be covered while the first is locked again, and none is open for a moment', async () => {
    const world = await givenKeeper();
    await stepsAside(world);
    const before = world.state.writes.length;
    const body = { spec: chartWith('storage').spec };
    await world.people.patch(disruptionBudgets, foreign.metadata, { type: 'merge', body }, call);
    await world.seen();
    await keep(world);
    expect(world.state.writes.slice(before)).toEqual([
      'PUT drover-foreign',
      'POST poddisruptionbudgets',
      'DELETE drover-cluster-orders.storage',
      'PUT drover-foreign',
    ]);
    expect(await covers(world)).toEqual(['orders: storage-1 storage-2']);
  });

  test('of two owners are covered each by its own, and uncovered with their owner', async () => {
    const world = await givenKeeper();
    await world.people.create(disruptionBudgets, chartWith('log'), call);
    await world.seen();
    await keep(world, [log]);
    await keep(world, [log], owner('late'));
    expect(await covers(world)).toEqual(['late: log-1 log-2', 'orders: log-1 log-2']);
    expect(world.heard).toEqual(expect.arrayContaining(['db/orders', 'db/late']));
    await world.keeper.leave('StatefulCluster', 'db/late', alive);
    expect(await covers(world)).toEqual(['orders: log-1 log-2']);
    await world.keeper.leave('StatefulCluster', 'db/orders', alive);
    expect(await configuration(world.people)).toBeUndefined();
  });

  test.each([
    ['is taken away', undefined],
    ['is told to let everything pass', { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
    ['is told of fewer pods', { op: 'replace', path: '/webhooks/0/matchConditions/1/expression', value: 'false' }],
  ] as const)('are covered again where the webhook %s, which is heard of', async (_, operation) => {
    const world = await givenKeeper();
    await stepsAside(world);
    const before = await configuration(world.people);
    world.heard.length = 0;
    const name = { name: 'drover-foreign' };
    if (operation === undefined) await world.people.delete(validatingWebhookConfigurations, name, call);
    else
      await world.people.patch(validatingWebhookConfigurations, name, { type: 'json', operations: [operation] }, call);
    await world.seen();
    expect(world.heard).toContain('db/orders');
    await keep(world);
    expect((await configuration(world.people))?.webhooks).toEqual(before?.webhooks);
  });

  test('are said not to be covered where Drover may not write the webhook', async () => {
    const world = await givenKeeper();
    world.state.refuses = 'validatingwebhookconfigurations';
    expect(await stepsAside(world)).toEqual({
      is: 'foreign',
      budgets: ['db/chart'],
      uncovered: expect.stringContaining('drover-foreign cannot be written'),
    });
    expect(await budgets(world)).toEqual(['chart', 'drover-cluster-orders.storage']);
  });

  test('are not covered where that is declined, and what was there before is taken away once', async () => {
    const world = await givenKeeper({ coversForeign: false });
    const [webhook] = webhookConfiguration().webhooks ?? [];
    const left = { metadata: { name: 'drover-foreign' }, webhooks: webhook === undefined ? [] : [webhook] };
    await world.people.create(validatingWebhookConfigurations, left, call);
    expect(await keep(world)).toEqual({ is: 'locked' });
    expect(await configuration(world.people)).toBeUndefined();
    expect(await stepsAside(world)).toMatchObject({ uncovered: 'Drover was started with --no-foreign-webhook' });
    expect(await configuration(world.people)).toBeUndefined();
    expect(world.state.writes.filter((write) => write === 'DELETE drover-foreign')).toHaveLength(1);
  });
});
