import { describe, expect, test } from 'vitest';
import type { ClusterStory } from './testing/cluster-story.ts';
import { clusterUp, nothingLost } from './testing/cluster-story.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';

const isUnmarked = async (story: ClusterStory, id: string): Promise<boolean> =>
  (await story.row(id))?.removalTimestamp === null;

const atRestAsBefore = async (story: ClusterStory, before: readonly string[], id: string): Promise<void> => {
  expect(await story.world.until(() => story.world.isAtRest(key), 3600)).toBe(true);
  expect(await story.ids()).toHaveLength(before.length);
  expect(await story.ids()).toContain(id);
  expect(story.exclusions).toEqual([]);
  expect(story.database.truth()).toEqual(nothingLost);
};

/** How far a removal has come, and how it is brought there. */
const stages = [
  {
    stage: 'marked',
    database: {},
    // Nobody can take its place yet, so nothing is moved.
    bring: async (story: ClusterStory, id: string) => {
      await story.change({ processGroupsToRemove: [id] });
      await story.world.pass(1);
      expect(await story.row(id)).toMatchObject({ evacuationTimestamp: null, exclusionTimestamp: null });
    },
  },
  {
    stage: 'evacuating',
    database: { bytesPerSecond: 20 * 2 ** 20 },
    bring: async (story: ClusterStory, id: string) => {
      await story.change({ processGroupsToRemove: [id] });
      await story.world.pass(60);
      expect(await story.row(id)).toMatchObject({ exclusionTimestamp: null });
      expect(await story.waits(id)).toContain('Draining');
      expect(story.exclusions).toEqual([`locality_instance_id:${id}`]);
    },
  },
  {
    stage: 'drained',
    database: {},
    bring: async (story: ClusterStory, id: string) => {
      await story.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
      expect(await story.world.until(async () => (await story.row(id))?.exclusionTimestamp !== null, 900)).toBe(true);
      expect(await story.row(id)).toMatchObject({ removingTimestamp: null });
    },
  },
];

describe('cancelReplacementsForInstance', () => {
  test.each(stages)('takes back a removal that is $stage, and the pod was never touched', async (from) => {
    const story = await clusterUp({}, { database: from.database });
    const before = await story.ids();
    const { id } = await story.alone('storage');
    const pod = story.pod(id)?.uid;
    await from.bring(story, id);
    await story.change({ processGroupsToRemove: [], cancelReplacementsForInstance: [id] });
    await story.world.pass(5);
    expect(await isUnmarked(story, id)).toBe(true);
    expect((await story.events('Cancelled')).map(({ action }) => action)).toContain('Unmark');
    await atRestAsBefore(story, before, id);
    // Nothing wants it gone any more, so nothing happens when it is taken off the list.
    await story.change({ cancelReplacementsForInstance: [] });
    await story.world.pass(60);
    await atRestAsBefore(story, before, id);
    expect(story.pod(id)?.uid).toBe(pod);
  });

  test('is too late once the objects are going: it says so, and the removal ends', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.holdOn(id);
    await story.change({ processGroupsToRemove: [id] });
    expect(await story.world.until(async () => (await story.row(id))?.removingTimestamp !== null, 900)).toBe(true);
    await story.change({ processGroupsToRemove: [], cancelReplacementsForInstance: [id] });
    await story.world.pass(10);
    expect(await isUnmarked(story, id)).toBe(false);
    expect(await story.waits(id)).toContain('TooLateToCancel');
    expect(await story.events('TooLateToCancel')).toMatchObject([{ type: 'Warning', action: 'Refuse' }]);
    await story.holdOn(id, []);
    expect(await story.world.until(async () => !(await story.ids()).includes(id), 900)).toBe(true);
  });

  test('takes back a removal without exclusion that has not begun', async () => {
    const story = await clusterUp();
    const before = await story.ids();
    const { id } = await story.alone('storage');
    story.database.answer('none');
    await story.world.pass(5);
    await story.change({ processGroupsToRemoveWithoutExclusion: [id] });
    await story.world.pass(30);
    expect(await story.row(id)).toMatchObject({ exclusionSkipped: true, removingTimestamp: null });
    await story.change({ processGroupsToRemoveWithoutExclusion: [], cancelReplacementsForInstance: [id] });
    await story.world.pass(30);
    expect(await story.row(id)).toMatchObject({ exclusionSkipped: false, removalTimestamp: null });
    story.database.answer('whole');
    await atRestAsBefore(story, before, id);
  });

  test('a cancel of one that does not leave does nothing', async () => {
    const story = await clusterUp();
    const [id = ''] = await story.ids('storage');
    const before = await story.ids();
    await story.change({ cancelReplacementsForInstance: [id] });
    await story.world.pass(60);
    await atRestAsBefore(story, before, id);
  });
});

describe('at odds with another part of the spec nothing is done about that one', () => {
  test.each(['processGroupsToRemove', 'processGroupsToRemoveWithoutExclusion'])('%s lists it too', async (list) => {
    const story = await clusterUp();
    const [id = '', other = ''] = await story.ids('stateless');
    await story.change({ [list]: [id, other], cancelReplacementsForInstance: [id] });
    await story.world.pass(10);
    expect(await story.condition('ConflictingRequests')).toMatchObject({
      status: 'True',
      reason: 'RemoveAndCancel',
      message: expect.stringContaining(id),
    });
    expect(await story.waits(id)).toEqual(['ConflictingRequests']);
    expect(await story.events('ConflictingRequests')).toMatchObject([{ type: 'Warning', action: 'Refuse' }]);
    expect(await isUnmarked(story, id)).toBe(true);
    // The other one has nothing to do with that.
    expect(await story.world.until(async () => !(await story.ids()).includes(other), 900)).toBe(true);
    expect(await story.ids()).toContain(id);
    await story.change({ [list]: [] });
    await story.world.pass(5);
    expect(await story.condition('ConflictingRequests')).toMatchObject({ status: 'False' });
    expect(await story.row(id)).toMatchObject({ removalTimestamp: null, waitingFor: [] });
  });

  test('one that is already being emptied stands still until one of the two gives way', async () => {
    const story = await clusterUp({}, { database: { bytesPerSecond: 20 * 2 ** 20 } });
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(60);
    await story.change({ cancelReplacementsForInstance: [id] });
    await story.world.pass(900);
    expect(await isUnmarked(story, id)).toBe(false);
    expect(story.pod(id)).toBeDefined();
    expect(await story.waits(id)).toContain('ConflictingRequests');
    await story.change({ cancelReplacementsForInstance: [] });
    expect(await story.world.until(async () => !(await story.ids()).includes(id), 900)).toBe(true);
  });

  test.each([
    { listed: 5, left: 5, conflict: 'True' },
    { listed: 4, left: 4, conflict: 'False' },
  ])('five storage servers become four, and $listed are listed: $left stay', async ({ listed, left, conflict }) => {
    const story = await clusterUp();
    const ids = (await story.ids('storage')).slice(0, listed);
    await story.change({ cancelReplacementsForInstance: ids });
    const roles = foundationdb.roles.map((role) => (role.name === 'storage' ? { ...role, count: 4 } : role));
    await story.change({ roles });
    await story.world.pass(900);
    expect(await story.ids('storage')).toHaveLength(left);
    expect(await story.ids('storage')).toEqual(expect.arrayContaining(ids));
    const { reason, status } = (await story.condition('ConflictingRequests')) ?? {};
    expect({ reason, status }).toEqual({
      status: conflict,
      reason: conflict === 'True' ? 'ShrinkAndCancel' : 'NoConflict',
    });
  });

  test('one that a shrink has marked stands still while all are listed, and stays when as many are wanted', async () => {
    const story = await clusterUp({}, { database: { bytesPerSecond: 20 * 2 ** 20 } });
    const ids = await story.ids('storage');
    const wanted = (count: number) =>
      story.change({ roles: foundationdb.roles.map((role) => (role.name === 'storage' ? { ...role, count } : role)) });
    await wanted(4);
    await story.world.pass(30);
    const [chosen = ''] = await story.marked();
    await story.change({ cancelReplacementsForInstance: ids });
    await story.world.pass(900);
    expect(await story.condition('ConflictingRequests')).toMatchObject({ status: 'True', reason: 'ShrinkAndCancel' });
    expect(await story.marked()).toEqual([chosen]);
    expect(story.pod(chosen)).toMatchObject({ deletionTimestamp: undefined });
    await wanted(5);
    await story.world.pass(10);
    expect(await story.marked()).toEqual([]);
    await atRestAsBefore(story, [...ids, ...(await story.ids('log')), ...(await story.ids('stateless'))], chosen);
  });

  test('a change that only a replacement can follow', async () => {
    const story = await clusterUp();
    const [kept = '', ...others] = await story.ids('stateless');
    await story.change({ cancelReplacementsForInstance: [kept], processGroupIDPrefix: 'blue' });
    await story.world.pass(30);
    expect(await story.condition('ConflictingRequests')).toMatchObject({ status: 'True', reason: 'ChangeAndCancel' });
    expect(await isUnmarked(story, kept)).toBe(true);
    expect(await story.marked()).toEqual(expect.arrayContaining(others));
    await story.change({ cancelReplacementsForInstance: [] });
    await story.world.pass(30);
    expect((await story.row(kept))?.removalTimestamp).not.toBeNull();
  });
});

describe('while it is listed a process group is never marked again', () => {
  const replacements = { enabled: true, failureDetectionTimeSeconds: 60, taintReplacementTimeSeconds: 60 };

  test('not for a failure; taken off the list it is marked at once', async () => {
    const story = await clusterUp({ automationOptions: { replacements } });
    const { id } = await story.alone('storage');
    await story.change({ cancelReplacementsForInstance: [id] });
    story.cutOff(id);
    await story.world.pass(600);
    expect(await story.ails(id)).toContain('MissingProcesses');
    expect(await story.waits(id)).toContain('Cancelled');
    expect(await story.marked()).toEqual([]);
    await story.change({ cancelReplacementsForInstance: [] });
    await story.world.pass(5);
    expect(await story.marked()).toEqual([id]);
  });

  test('not for a taint; taken off the list its clocks start anew', async () => {
    const taintReplacementOptions = [{ key: 'example.com/maintenance', durationInSeconds: 60 }];
    const story = await clusterUp({
      automationOptions: { replacements: { ...replacements, taintReplacementOptions } },
    });
    const { id, node } = await story.alone('storage');
    await story.taint(node, 'example.com/maintenance');
    await story.world.pass(125);
    expect(await story.marked()).toEqual([id]);
    await story.change({ cancelReplacementsForInstance: [id] });
    await story.world.pass(600);
    expect(await story.marked()).toEqual([]);
    expect(await story.ails(id)).toEqual(['NodeTaintDetected']);
    await story.change({ cancelReplacementsForInstance: [] });
    await story.world.pass(118);
    expect(await story.marked()).toEqual([]);
    expect(await story.ails(id)).toContain('NodeTaintReplacing');
    await story.world.pass(5);
    expect(await story.marked()).toEqual([id]);
  });

  test('not by a shrink: another one goes', async () => {
    const story = await clusterUp();
    const ids = await story.ids('stateless');
    const roles = foundationdb.roles.map((role) => (role.name === 'stateless' ? { ...role, count: 2 } : role));
    await story.change({ cancelReplacementsForInstance: ids.slice(1), roles });
    await story.world.pass(300);
    expect(await story.ids('stateless')).toEqual(ids.slice(1));
  });
});
