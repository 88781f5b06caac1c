import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pickFreePort } from '../../../tools/control-plane/free-port.ts';
import type { OperatorProcess } from '../operator-process.ts';
import type { DrainWorld } from './drain-world.ts';
import { isEmbedded, startWorld } from './drain-world.ts';
import type { DrainPlane } from './embedded-plane.ts';
import type { StoreOnPods } from './store-on-pods.ts';
import { numbersAside, unsaid } from './unsaid.ts';

let world: DrainWorld<DrainPlane>;
let operator: OperatorProcess;
const stores = new Map<string, StoreOnPods>();

/** Data moves away before a pod may go, at once when its node is cordoned: work that lasts, and that a story can break into. */
const automationOptions = { waitBetweenRemovalsSeconds: 0 };
const spec = { drainPolicy: 'block-for-eviction', automationOptions };
const shape = { count: 4, shards: 4, spec };

beforeAll(async () => {
  world = await startWorld();
  operator = world.operator();
  await operator.says('leading', 60_000);
  // The last one needs half a minute for what one pod holds.
  const sizes = { db: 2 ** 27, ledger: 2 ** 31, steady: 3 * 2 ** 30 };
  await Promise.all(
    Object.entries(sizes).map(async ([of, shardBytes]) =>
      stores.set(of, await world.store(of, { ...shape, shardBytes })),
    ),
  );
});
afterAll(() => world?.stop());

/** A drain of the node of some pod, and what happens in its middle. Then everything is as it should be again. */
async function drainAnd(
  interrupt: (pod: string, said: () => string) => Promise<void>,
  { of = 'db', patience = '20s', isTypedAgain = true } = {},
): Promise<string> {
  const store = stores.get(of);
  const holders = store?.holders();
  const pod = (await world.pods(of)).find(({ group }) => holders?.has(group));
  if (pod === undefined) throw new Error('no pod holds data');
  const { said, end } = world.beginDrain(pod.node, 'jane', `--timeout=${patience}`);
  const [first] = await Promise.all([end, interrupt(pod.uid, said)]);
  // An API server that goes away ends any kubectl, and whoever has no answer goes on asking: people type it again.
  const isOver = first.code === 0 || !isTypedAgain;
  const { code, stderr } = isOver ? first : await world.drain(pod.node, 'jane', '--timeout=60s');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  expect((await world.pods(of)).filter(({ uid }) => uid === pod.uid)).toEqual([]);
  await world.cluster.kubectl(['uncordon', pod.node]);
  await world.until('the store is whole again', () => world.isWhole(of));
  await world.until('no grant is left', async () => (await world.status(of)).grants?.length === 0);
  expect((await world.pods(of)).filter(({ open }) => open)).toEqual([]);
  expect(store?.store.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  return `${first.stdout}${first.stderr}${isOver ? '' : stderr}`;
}

const bundle = async () => {
  const path = '{.webhooks[0].clientConfig.caBundle}';
  return (await world.cluster.kubectl(['get', 'validatingwebhookconfiguration', 'drover', '-o', `jsonpath=${path}`]))
    .stdout;
};

describe('kubectl drain ends, and nothing is lost,', () => {
  test('with the certificate of the webhook gone in the middle', async () => {
    const before = await bundle();
    const rotated = async (uid: string, said: () => string) => {
      await world.until('Drover answers', async () => said().includes('drover: shard-'));
      await world.cluster.kubectl(['delete', 'secret', '-n', 'drover', 'drover-webhook']);
      // It is looked after once a minute.
      await world.until('another one is trusted', async () => (await bundle()) !== before);
      // The API server takes up to a second to notice, and until then asks over the connection that it has.
      await pause(1500);
      const heard = said().length;
      await world.until('Drover answers again', async () => said().slice(heard).includes('drover: shard-'));
      expect((await world.pods('steady')).filter((pod) => pod.uid === uid)).toHaveLength(1);
    };
    await drainAnd(rotated, { of: 'steady', patience: '90s', isTypedAgain: false });
  });

  // kubectl goes by names: without a voice to tell it otherwise it asks for the pod that came after until its time is over.
  test('with the webhook out of reach: the lock holds, and Drover evicts by itself', async () => {
    await world.askAt(await pickFreePort());
    const said = await drainAnd(
      async (gone) => {
        await world.until('it is gone', async () => (await world.pods('db')).every(({ uid }) => uid !== gone));
      },
      { patience: '8s' },
    );
    expect(said).not.toContain('drover:');
    expect(said).toContain("Cannot evict pod as it would violate the pod's disruption budget");
    await world.askAt();
  });

  test('with the operator dead in its middle, and started again: the lock holds, and the same kubectl ends', async () => {
    const dead = async (uid: string) => {
      await world.until('it is asked for', async () =>
        ((await world.status('ledger')).asks ?? []).some((ask) => ask.uid === uid && ask.letGoAt === undefined),
      );
      await world.kill(operator);
      // kubectl asks every five seconds: at least once with nobody there but the API server.
      await pause(6000);
      expect((await world.pods('ledger')).filter((pod) => pod.uid === uid)).toHaveLength(1);
      operator = world.operator();
      await operator.says('leading', 60_000);
    };
    const said = await drainAnd(dead, { of: 'ledger', patience: '90s', isTypedAgain: false });
    expect(unsaid('what-a-drain-says', 'kubectl drain ledger-1', said, numbersAside)).toEqual([]);
    expect(said).toContain('drover:');
  });

  test('with the leader killed in the middle of a grant, and another one ready to lead', async () => {
    const port = await pickFreePort();
    const second = world.keptOperator(port);
    await second().says('listening');
    await drainAnd(async (uid) => {
      await world.granted('db', uid);
      await world.kill(operator);
      await world.askAt(port);
      await second().says('leading', 60_000);
    });
  });

  // One in memory has no process of its own.
  if (!isEmbedded)
    test('with the API server restarted in the middle', async () => {
      await drainAnd(async () => world.cluster.restart?.('kube-apiserver'));
    });

  test('and after all that still speaks', async () => {
    expect(await drainAnd(async () => {})).toContain('drover:');
  });
});
