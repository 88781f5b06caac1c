import { expect } from 'vitest';
import { sharedPool } from '../stage.ts';
import type { Story } from '../story.ts';
import { roles, withTwoStateless } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

interface Stage {
  readonly stage: string;
  readonly database?: NonNullable<Story['database']>;
  /** Brings a removal so far and no further. */
  readonly bring: (cluster: StoryCluster, id: string) => Promise<void>;
}

const stages: readonly Stage[] = [
  {
    stage: 'marked',
    bring: async (cluster, id) => {
      // Nobody can take its place, so nothing is moved.
      await cluster.refuse('pods', null);
      await cluster.change({ processGroupsToRemove: [id] });
      await eventually(() => expect(cluster.marked()).toEqual([id]));
      await cluster.pass(30);
      expect(cluster.row(id)).toMatchObject({ evacuationTimestamp: null, exclusionTimestamp: null });
    },
  },
  {
    stage: 'evacuating',
    database: { bytesPerSecond: 2 ** 20 },
    bring: async (cluster, id) => {
      await cluster.change({ processGroupsToRemove: [id] });
      await eventually(() => expect(cluster.waits(id)).toContain('Draining'));
      expect(cluster.row(id)).toMatchObject({ exclusionTimestamp: null });
      // On record first, told to the engine then.
      await eventually(() => expect(cluster.exclusions).toEqual([`locality_instance_id:${id}`]));
    },
  },
  {
    stage: 'drained',
    bring: async (cluster, id) => {
      await cluster.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
      await eventually(() => expect(cluster.row(id)?.exclusionTimestamp).toEqual(expect.any(String)));
      expect(cluster.row(id)).toMatchObject({ removingTimestamp: null });
    },
  },
];

const takenBack = ({ stage, database, bring }: Stage): Story => ({
  says: `a removal that is ${stage} is taken back, and the pod was never touched`,
  ...(database !== undefined && { database }),
  goes: async (cluster) => {
    const [before, { id }] = [cluster.ids(), cluster.plain('storage')];
    const pod = cluster.pod(id)?.uid;
    await bring(cluster, id);
    await cluster.change({ processGroupsToRemove: [], cancelReplacementsForInstance: [id] });
    await eventually(() =>
      expect(cluster.row(id)).toMatchObject({ removalTimestamp: null, evacuationTimestamp: null }),
    );
    await eventually(async () =>
      expect((await cluster.events('Cancelled')).map(({ action }) => action)).toContain('Unmark'),
    );
    await eventually(() => expect(cluster.exclusions).toEqual([]));
    // Nothing wants it gone any more, so nothing happens when it is taken off the list.
    await cluster.refuse('pods', false);
    await cluster.change({ cancelReplacementsForInstance: [] });
    await eventually(() => expect(cluster.ids()).toHaveLength(before.length));
    await cluster.settles();
    expect(cluster.ids()).toContain(id);
    expect(cluster.pod(id)?.uid).toBe(pod);
    expect(cluster.exclusions).toEqual([]);
    await cluster.lostNothing();
  },
});

const conflicts: readonly Story[] = [
  ...['processGroupsToRemove', 'processGroupsToRemoveWithoutExclusion'].map(
    (list): Story => ({
      says: `${list} lists it too: nothing is done about that one, and its neighbour goes`,
      counts: withTwoStateless,
      goes: async (cluster) => {
        const [id = '', other = ''] = cluster.ids('stateless');
        await cluster.change({ [list]: [id, other], cancelReplacementsForInstance: [id] });
        await eventually(() =>
          expect(cluster.condition('ConflictingRequests')).toMatchObject({
            status: 'True',
            reason: 'RemoveAndCancel',
            message: expect.stringContaining(id),
          }),
        );
        expect(cluster.waits(id)).toEqual(['ConflictingRequests']);
        await cluster.tells('ConflictingRequests', 'Refuse Warning');
        await cluster.isGone(other);
        expect(cluster.everMarked()).toEqual([other]);
        await cluster.change({ [list]: [] });
        await eventually(() => expect(cluster.condition('ConflictingRequests')).toMatchObject({ status: 'False' }));
        await cluster.settles();
        expect(cluster.ids()).toContain(id);
        await cluster.lostNothing();
      },
    }),
  ),
  {
    says: 'a shrink that only listed ones could satisfy is not done; one that another could is',
    goes: async (cluster) => {
      const ids = cluster.ids('storage');
      await cluster.change({ cancelReplacementsForInstance: ids });
      await cluster.change({ roles: roles(sharedPool, { storage: 2, log: 3, stateless: 1 }) });
      await eventually(() =>
        expect(cluster.condition('ConflictingRequests')).toMatchObject({ status: 'True', reason: 'ShrinkAndCancel' }),
      );
      await cluster.pass(60);
      expect(cluster.everMarked()).toEqual([]);
      const [free = '', ...listed] = ids;
      await cluster.change({ cancelReplacementsForInstance: listed });
      await cluster.isGone(free);
      await eventually(() => expect(cluster.condition('ConflictingRequests')).toMatchObject({ status: 'False' }));
      expect(cluster.ids('storage')).toEqual(listed);
      await cluster.lostNothing();
    },
  },
  {
    says: 'a change that only a replacement can follow is not followed for the listed one, until it is off the list',
    spec: { automationOptions: { waitBetweenRemovalsSeconds: 0 } },
    goes: async (cluster) => {
      const [kept = '', ...others] = cluster.ids();
      await cluster.change({ cancelReplacementsForInstance: [kept], processGroupIDPrefix: 'blue' });
      await eventually(() =>
        expect(cluster.condition('ConflictingRequests')).toMatchObject({ status: 'True', reason: 'ChangeAndCancel' }),
      );
      for (const id of others) await cluster.isGone(id);
      expect(cluster.row(kept)).toMatchObject({ removalTimestamp: null });
      await cluster.change({ cancelReplacementsForInstance: [] });
      await cluster.isGone(kept);
      await cluster.settles();
      await cluster.lostNothing();
    },
  },
];

const maintenance = 'example.com/maintenance';

const listed: readonly Story[] = [
  {
    says: 'too late once the objects are going: it says so, and the removal ends',
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.holdOn(id);
      await cluster.change({ processGroupsToRemove: [id] });
      await eventually(() => expect(cluster.row(id)?.removingTimestamp).toEqual(expect.any(String)));
      await cluster.change({ processGroupsToRemove: [], cancelReplacementsForInstance: [id] });
      await eventually(() => expect(cluster.waits(id)).toContain('TooLateToCancel'));
      await cluster.tells('TooLateToCancel', 'Refuse Warning');
      expect(cluster.marked()).toEqual([id]);
      await cluster.holdOn(id, []);
      await cluster.isGone(id);
      await cluster.lostNothing();
    },
  },
  {
    says: 'while listed it is never marked for a failure; taken off the list it is marked at once',
    automatic: { failureDetectionTimeSeconds: 200 },
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.change({ cancelReplacementsForInstance: [id] });
      await cluster.fares(id, { ready: 'false' });
      await eventually(() => expect(cluster.waits(id)).toContain('Cancelled'));
      await cluster.pass(300);
      expect(cluster.everMarked()).toEqual([]);
      await cluster.change({ cancelReplacementsForInstance: [] });
      const asked = cluster.stage.clock.now();
      await eventually(() => expect(cluster.everMarked()).toEqual([id]));
      expect(Date.parse(cluster.whenMarked(id)?.removalTimestamp ?? '') - asked).toBeLessThan(100_000);
      await cluster.isGone(id);
      await cluster.lostNothing();
    },
  },
  {
    says: 'while listed it is never marked for a taint; taken off the list its clocks start anew',
    ownNodes: 9,
    automatic: {
      taintReplacementOptions: [{ key: maintenance, durationInSeconds: 60 }],
      taintReplacementTimeSeconds: 60,
    },
    // Slow, so that it is still there when it is cancelled.
    database: { bytesPerSecond: 2 ** 20 },
    goes: async (cluster) => {
      const { id, node } = cluster.plain('storage');
      await cluster.taint(node, maintenance);
      await eventually(() => expect(cluster.marked()).toEqual([id]));
      await cluster.change({ cancelReplacementsForInstance: [id] });
      await eventually(() => expect(cluster.marked()).not.toContain(id));
      const cancelled = cluster.history.length;
      await cluster.pass(240);
      const since = cluster.history.slice(cancelled).flatMap(({ status }) => status.processGroups);
      expect(since.filter((row) => row.processGroupID === id && row.removalTimestamp !== null)).toEqual([]);
      expect(cluster.ails(id)).toEqual(['NodeTaintDetected']);
      const off = cluster.stage.clock.now();
      await cluster.change({ cancelReplacementsForInstance: [] });
      await eventually(() => expect(cluster.marked()).toContain(id));
      expect(Date.parse(cluster.row(id)?.removalTimestamp ?? '') - off).toBeGreaterThanOrEqual(120_000);
      await cluster.lostNothing();
    },
  },
];

export const cancelling: readonly Story[] = [...stages.map(takenBack), ...conflicts, ...listed];
