import { expect } from 'vitest';
import type { Story } from './story.ts';
import type { StoryCluster } from './story-cluster.ts';
import { eventually } from './story-cluster.ts';

/** What a cluster must have for "replace two of five, one without an IP". */
export const twoOfFive = {
  counts: { storage: 5, log: 3, stateless: 1 },
  spec: { automationOptions: { waitBetweenRemovalsSeconds: 0 } },
} satisfies Partial<Story>;

/** Two of the five, the first of which has a pod that finds no place: it has no IP but the one on record. */
export async function oneWithoutIP(cluster: StoryCluster): Promise<readonly [string, string]> {
  const { id } = cluster.plain('storage');
  const other = cluster.ids('storage').find((one) => one !== id) ?? '';
  const [addresses, before] = [cluster.row(id)?.addresses, cluster.pod(id)?.uid];
  await cluster.change({ buggify: { noSchedule: [id] } });
  await eventually(() => {
    expect(cluster.pod(id)).toMatchObject({ phase: 'Pending', nodeName: '' });
    expect(cluster.pod(id)?.uid).not.toBe(before);
    expect(cluster.row(id)?.addresses).toEqual(addresses);
  });
  await giveAway(cluster, addresses?.[0]?.replace(/:\d+$/, '') ?? '');
  return [id, other];
}

/**
 * Has the address that was given up taken by pods of somebody else. Otherwise the next pod that starts has it, which may be the successor, and by
 * an address that another process has nobody can be excluded.
 */
async function giveAway({ stage: { plane }, namespace }: StoryCluster, host: string): Promise<void> {
  const containers = [{ name: 'bystander', image: 'web:1' }];
  for (let number = 1; number <= 30; number++) {
    const { stdout } = await plane.kubectl([
      'get',
      'pods',
      '-A',
      `--field-selector=status.podIP=${host}`,
      '-o',
      'name',
    ]);
    if (stdout !== '') return;
    const name = `bystander-${number}`;
    await plane.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: { containers } });
    await plane.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '-n', namespace, '--timeout=60s']);
  }
  throw new Error(`nobody took ${host}`);
}

/** Two others are there instead, numbered on, and the engine leaves nothing alone any more. */
export async function expectTwoOthers(
  cluster: StoryCluster,
  before: readonly string[],
  gone: readonly string[],
): Promise<void> {
  const stayed = before.filter((id) => !gone.includes(id));
  const made = cluster.ids('storage').filter((id) => !before.includes(id));
  expect(cluster.ids('storage')).toEqual(expect.arrayContaining(stayed));
  // The nine of the beginning have the numbers 1 to 9.
  expect(made).toEqual(['storage-10', 'storage-11']);
  expect(cluster.status.nextProcessGroupNumber).toBe(12);
  expect(
    cluster
      .pods()
      .map(({ name }) => name.slice('orders-'.length))
      .sort(),
  ).toEqual([...cluster.ids()].sort());
  expect(cluster.exclusions).toEqual([]);
  await cluster.lostNothing();
}
