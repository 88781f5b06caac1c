import { expect, test } from 'vitest';
import { runningCluster } from '../embedded/operated/testing/running-cluster.ts';
import { askWhy } from './ask-why.ts';

const { signal } = new AbortController();

test('what a pod waits for is what an eviction would meet, and asking changes nothing', async () => {
  const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
  const { world } = cluster;
  const [storage = '', stateless = ''] = [
    ...(await cluster.ids('storage')).slice(0, 1),
    ...(await cluster.ids('stateless')),
  ];
  const before = world.writes.length;
  const ask = async (group: string) => {
    const { answer, reasons } = await askWhy(world.people, { namespace: 'db', name: `orders-${group}` }, signal);
    return [answer, ...reasons];
  };
  expect(await ask(storage)).toEqual([
    'waits',
    `orders-${storage} would be asked to leave, and would wait first`,
    `${storage} stays: it is not drained yet`,
  ]);
  expect(await ask(stateless)).toEqual(['goes', expect.stringContaining('would go at once')]);
  await world.pass(30);
  expect(world.writes.length).toBe(before);
  await world.killOperator();
  expect(await ask(storage)).toEqual(['unanswered', expect.stringContaining('disruption budget')]);
  await expect(ask('storage-99')).rejects.toThrow('there is no pod orders-storage-99 in namespace db');
});
