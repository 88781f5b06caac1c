import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperatorProcess } from '../operator-process.ts';
import type { DrainWorld } from './drain-world.ts';
import { startWorld } from './drain-world.ts';
import type { DrainPlane } from './embedded-plane.ts';
import type { StoreOnPods } from './store-on-pods.ts';

let world: DrainWorld<DrainPlane>;
let operator: OperatorProcess;
let store: StoreOnPods;

const metadata = { name: 'chart', namespace: 'db' };
const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata };

/** A store, and the budget of somebody else that lets any one of its pods go. */
beforeAll(async () => {
  world = await startWorld();
  operator = world.operator();
  await operator.says('leading', 60_000);
  store = await world.store('db', { spec: { drainPolicy: 'block-for-eviction', trigger: 'Eviction' } });
  const selector = { matchLabels: { 'drover.dev/cluster': 'db' } };
  await world.cluster.apply({ ...budget, spec: { minAvailable: 2, selector } });
  await world.until('its pods are covered', async () => (await covered()).length === 3);
});
afterAll(() => world?.stop());

async function covered(): Promise<readonly string[]> {
  const path = '{.webhooks[*].matchConditions[1].expression}';
  const args = ['get', 'validatingwebhookconfiguration', 'drover-foreign', '--ignore-not-found', '-o'];
  const { stdout } = await world.cluster.kubectl([...args, `jsonpath=${path}`]);
  return [...stdout.matchAll(/'([^']+)'/g)].map(([, pod = '']) => pod);
}

async function bundle(name: string): Promise<string> {
  const path = 'jsonpath={.webhooks[0].clientConfig.caBundle}';
  return (await world.cluster.kubectl(['get', 'validatingwebhookconfiguration', name, '-o', path])).stdout;
}

async function holder() {
  const holders = store.holders();
  const pod = (await world.pods('db')).find(({ group }) => holders.has(group));
  if (pod === undefined) throw new Error('no pod holds data');
  return pod;
}

describe('pods that the budget of somebody else selects', () => {
  test('are covered by their names, and the status says so', async () => {
    expect(await covered()).toEqual((await world.pods('db')).map(({ name }) => name).toSorted());
    const locked = async () => (await world.status('db')).conditions?.find(({ type }) => type === 'Locked');
    await world.until('it is said', async () => (await locked())?.reason === 'ForeignBudget');
    expect((await locked())?.message).toContain('the webhook drover-foreign covers them');
  });

  test('cannot be evicted while Drover is dead, although that budget would let them; a neighbour can', async () => {
    const { name, uid, node } = await holder();
    const spec = { nodeName: node, terminationGracePeriodSeconds: 0, containers: [{ name: 'web', image: 'web:1' }] };
    await world.cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'db' }, spec });
    await world.kill(operator);
    const { code, stderr } = await world.drain(node, 'jane', '--force', '--timeout=20s');
    expect(code).toBe(1);
    expect(stderr).toContain(
      `error when evicting pods/"${name}" -n "db": Internal error occurred: failed calling webhook`,
    );
    expect(stderr).toContain('"db.db.cluster.foreign.drover.dev"');
    const left = await world.pods('db');
    expect(left.map((pod) => pod.uid)).toContain(uid);
    expect(left.map((pod) => pod.name)).not.toContain('web');
  });

  test('are answered about from the decision once it lives again, with a new certificate, and go when their data is elsewhere', async () => {
    const before = await bundle('drover-foreign');
    await world.cluster.kubectl(['delete', 'secret', '-n', 'drover', 'drover-webhook']);
    operator = world.operator();
    await operator.says('leading', 60_000);
    await world.until('the new one is trusted', async () => (await bundle('drover-foreign')) !== before);
    expect(await bundle('drover-foreign')).toBe(await bundle('drover'));
    const { uid, node } = await holder();
    const { code, stderr } = await world.drain(node, 'jane', '--timeout=60s');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('drover: ') });
    expect((await world.pods('db')).map((pod) => pod.uid)).not.toContain(uid);
    expect(store.store.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
    await world.cluster.kubectl(['uncordon', node]);
  });

  test('are uncovered, and locked again, with that budget', async () => {
    await world.cluster.kubectl(['delete', 'pdb', '-n', 'db', 'chart']);
    const left = async () =>
      (await world.cluster.kubectl(['get', 'validatingwebhookconfigurations', '-o', 'name'])).stdout.trim();
    await world.until('the webhook is gone', async () => !(await left()).includes('drover-foreign'));
    const locks = await world.cluster.kubectl([
      'get',
      'pdb',
      '-n',
      'db',
      '-o',
      'jsonpath={.items[*].spec.minAvailable}',
    ]);
    expect(locks.stdout).toBe('2147483647');
  });
});
