import { describe, expect, test } from 'vitest';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, rolesWith, runningCluster } from './testing/running-cluster.ts';

/** Marked and not yet drained. */
const inFlight = async (cluster: RunningCluster): Promise<number> =>
  (await cluster.rows()).filter((row) => row.removalTimestamp !== null && row.exclusionTimestamp === null).length;

/** How many were in flight at the same moment, at most, until `isOver`; undefined: it was not over within the time. */
async function mostInFlight(
  cluster: RunningCluster,
  isOver: () => Promise<boolean>,
  within: number,
): Promise<number | undefined> {
  let most = 0;
  const looked = async () => {
    most = Math.max(most, await inFlight(cluster));
    return isOver();
  };
  return (await cluster.world.until(looked, within)) ? most : undefined;
}

describe('automationOptions.maxConcurrentReplacements, of those that a change of the spec forces', () => {
  const roles = rolesWith('log', {
    volumeClaimTemplate: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      resources: { requests: { storage: '20Gi' } },
    },
  });
  const limited = (maxConcurrentReplacements: number | null | undefined) => ({
    waitBetweenRemovalsSeconds: 0,
    ...(maxConcurrentReplacements !== undefined && { maxConcurrentReplacements }),
  });

  test.each([
    [undefined, 4],
    [null, 4],
    [4, 4],
    [3, 3],
    [1, 1],
  ])('%s: %i of four at once, and in the end all', async (cap, most) => {
    const cluster = await runningCluster({ automationOptions: limited(cap) });
    const old = await cluster.ids('log');
    await cluster.change({ roles });
    await cluster.world.pass(5);
    expect(await cluster.marked()).toEqual(old.slice(0, most));
    for (const id of old.slice(most)) expect(await cluster.waits(id)).toContain('MisconfiguredCap');
    const allGone = async () => (await cluster.ids('log')).every((id) => !old.includes(id));
    expect(await mostInFlight(cluster, allGone, 3600)).toBe(most);
    expect(await cluster.ids('log')).toHaveLength(4);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('0: none, for as long as it is 0', async () => {
    const cluster = await runningCluster({ automationOptions: limited(0) });
    const old = await cluster.ids();
    await cluster.change({ roles });
    await cluster.world.pass(1800);
    expect(await cluster.ids()).toEqual(old);
    expect(await cluster.marked()).toEqual([]);
    for (const id of await cluster.ids('log')) expect(await cluster.waits(id)).toContain('MisconfiguredCap');
    await cluster.change({ automationOptions: { maxConcurrentReplacements: null } });
    await cluster.world.pass(5);
    expect(await cluster.marked()).toHaveLength(4);
  });

  test('what people asked for is in flight as well, and is not held up itself', async () => {
    const cluster = await runningCluster({ automationOptions: limited(1) });
    const [one, two] = await cluster.ids('storage');
    await cluster.change({ roles, processGroupsToRemove: [one, two] });
    await cluster.world.pass(5);
    expect(await cluster.marked()).toEqual([one, two]);
    for (const id of await cluster.ids('log')) expect(await cluster.waits(id)).toContain('MisconfiguredCap');
  });
});

describe('automationOptions.replacements.maxConcurrentReplacements, of those that failed', () => {
  /** Its container is no longer ready, and its process serves on: there is nothing to lose. */
  const fail = (cluster: RunningCluster, id: string) => cluster.annotate(id, { ready: 'false' });
  const replacing = (cap: object) => ({
    automationOptions: {
      waitBetweenRemovalsSeconds: 0,
      replacements: { enabled: true, failureDetectionTimeSeconds: 60, ...cap },
    },
  });

  test.each([
    ['not set', {}, 1],
    ['1', { maxConcurrentReplacements: 1 }, 1],
    ['2', { maxConcurrentReplacements: 2 }, 2],
    ['3', { maxConcurrentReplacements: 3 }, 3],
  ])('%s: of three', async (_what, cap, most) => {
    const cluster = await runningCluster(replacing(cap));
    const failed = (await cluster.ids('storage')).slice(0, 3);
    for (const id of failed) await fail(cluster, id);
    await cluster.world.pass(59);
    expect(await cluster.marked()).toEqual([]);
    await cluster.world.pass(5);
    // Who was seen to fail first is replaced first.
    const marked = await cluster.marked();
    expect(marked).toHaveLength(most);
    expect(failed).toEqual(expect.arrayContaining([...marked]));
    for (const id of failed.filter((one) => !marked.includes(one)))
      expect(await cluster.waits(id)).toContain('ReplacementCap');
    const allGone = async () => (await cluster.ids('storage')).every((id) => !failed.includes(id));
    expect(await mostInFlight(cluster, allGone, 3600)).toBe(most);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('0: none, however long they fail', async () => {
    const cluster = await runningCluster(replacing({ maxConcurrentReplacements: 0 }));
    const [id = ''] = await cluster.ids('storage');
    await fail(cluster, id);
    await cluster.world.pass(1800);
    expect(await cluster.marked()).toEqual([]);
    expect(await cluster.waits(id)).toContain('ReplacementCap');
  });
});
