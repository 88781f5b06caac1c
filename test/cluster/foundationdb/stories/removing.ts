import { expect } from 'vitest';
import type { Story } from '../story.ts';
import { eventually } from '../story-cluster.ts';
import { expectTwoOthers, oneWithoutIP, twoOfFive } from '../two-of-five.ts';

export const removing: readonly Story[] = [
  {
    says: 'nothing is removed before the engine is fully replicated, however drained it is',
    // Slow enough for copies to be missing for a while.
    database: { bytesPerSecond: 4 * 2 ** 20 },
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
      await eventually(() => expect(cluster.row(id)?.exclusionTimestamp).toEqual(expect.any(String)));
      await eventually(() => expect(cluster.waits(id)).toEqual(['RemovalBlocked']));
      const other = cluster.ids('storage').find((one) => one !== id) ?? '';
      cluster.cutOff(other);
      await eventually(() => expect(cluster.status.health.fullReplication).toBe(false));
      await cluster.change({ buggify: { blockRemoval: [] } });
      await eventually(() => expect(cluster.waits(id)).toEqual(['NotFullyReplicated']));
      expect(cluster.pod(id)).toMatchObject({ deletionTimestamp: undefined });
      // Once the copies that the other one had are made again it goes by itself.
      await cluster.isGone(id);
      const removed = cluster.history.findIndex(({ status }) =>
        status.processGroups.some((row) => row.processGroupID === id && row.removingTimestamp !== null),
      );
      expect(cluster.history[removed]?.status.health.fullReplication).toBe(true);
      await cluster.lostNothing();
    },
  },
  {
    says: 'nothing is removed while a coordinator does not answer, and its row says so',
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
      await eventually(() => expect(cluster.row(id)?.exclusionTimestamp).toEqual(expect.any(String)));
      cluster.cutOff(cluster.seats[0]?.group ?? '');
      await cluster.pass(20);
      await cluster.change({ buggify: { blockRemoval: [] } });
      const lacking = () =>
        cluster.history.flatMap(({ status }) =>
          status.processGroups.flatMap(({ processGroupID, removingTimestamp, waitingFor }) =>
            processGroupID === id && removingTimestamp === null
              ? waitingFor.filter(({ code }) => code === 'ToleranceLacking').map(({ message }) => message)
              : [],
          ),
        );
      await eventually(() => expect(lacking()[0]).toMatch(/coordinator/));
      // Its seat is given to another one, and then it goes by itself.
      await cluster.isGone(id);
      await cluster.lostNothing();
    },
  },
  {
    says: 'two of five are replaced, one of them without an IP, which is excluded by the address on record',
    ...twoOfFive,
    goes: async (cluster) => {
      const before = cluster.ids('storage');
      const gone = await oneWithoutIP(cluster);
      const [address = ''] = cluster.row(gone[0])?.addresses ?? [];
      await cluster.change({ processGroupsToRemove: gone });
      for (const id of gone) await cluster.isGone(id);
      expect(cluster.everExcluded()).toContain(address.replace(/:\d+$/, ''));
      await cluster.settles();
      await expectTwoOthers(cluster, before, gone);
    },
  },
  {
    says: 'an engine that knows no localities excludes by address alone, also one without an IP',
    ...twoOfFive,
    database: { version: '7.1.40' },
    goes: async (cluster) => {
      const before = cluster.ids('storage');
      const gone = await oneWithoutIP(cluster);
      await cluster.change({ processGroupsToRemove: gone });
      for (const id of gone) await cluster.isGone(id);
      expect(cluster.everExcluded()).toHaveLength(2);
      for (const excluded of cluster.everExcluded()) expect(excluded).toMatch(/^[\d.]+$/);
      await cluster.settles();
      await expectTwoOthers(cluster, before, gone);
    },
  },
  {
    says: 'stuck terminating: stays excluded, does not count, and holds nobody else up',
    spec: { automationOptions: { waitBetweenRemovalsSeconds: 0 } },
    automatic: { failureDetectionTimeSeconds: 200 },
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      const { desired } = cluster.status.counts;
      await cluster.holdOn(id);
      await cluster.change({ processGroupsToRemove: [id] });
      await eventually(() => expect(cluster.waits(id)).toEqual(['StuckTerminating']));
      await eventually(() => expect(cluster.condition('Ready')).toMatchObject({ status: 'True' }));
      await cluster.tells('StuckTerminating', 'Wait Warning');
      expect(cluster.status.counts).toMatchObject({ desired, current: desired, available: desired });
      // One fails, which one at a time allows, and another is asked for: both go to their end.
      const failed = cluster.plain('storage').id;
      const [asked = ''] = cluster.ids('stateless');
      await cluster.fares(failed, { ready: 'false' });
      await cluster.change({ processGroupsToRemove: [id, asked] });
      await cluster.isGone(failed);
      await cluster.isGone(asked);
      await eventually(() => expect(cluster.exclusions).toEqual([`locality_instance_id:${id}`]));
      expect(cluster.pod(id)?.deletionTimestamp).toEqual(expect.any(String));
      await cluster.holdOn(id, []);
      await cluster.isGone(id);
      await eventually(() => expect(cluster.exclusions).toEqual([]));
      await cluster.lostNothing();
    },
  },
  {
    says: 'processGroupsToRemoveWithoutExclusion skips the drain, and says so aloud',
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.change({ processGroupsToRemoveWithoutExclusion: [id] });
      await cluster.isGone(id);
      const rows = cluster.history.flatMap(({ status }) =>
        status.processGroups.filter((row) => row.processGroupID === id && row.removalTimestamp !== null),
      );
      for (const row of rows) expect(row).toMatchObject({ exclusionSkipped: true, exclusionTimestamp: null });
      await cluster.tells('RequestedWithoutExclusion', 'Mark Warning', 'Remove Warning');
      expect(await cluster.events('Drained')).toEqual([]);
      // What it took with it is made again from the other copy.
      await cluster.settles();
      await eventually(() => expect(cluster.status.health.fullReplication).toBe(true));
      await cluster.lostNothing();
    },
  },
];
