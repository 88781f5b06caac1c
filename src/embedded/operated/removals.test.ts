import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import type { ClusterStory } from './testing/cluster-story.ts';
import { clusterUp, nothingLost } from './testing/cluster-story.ts';
import { key } from './testing/foundationdb-spec.ts';

const call = { signal: new AbortController().signal };

const isGone = async (story: ClusterStory, id: string, within = 1800): Promise<boolean> =>
  story.world.until(async () => !(await story.ids()).includes(id), within);

const isDrained = async (story: ClusterStory, id: string): Promise<boolean> =>
  story.world.until(async () => (await story.row(id))?.exclusionTimestamp !== null, 900);

describe('processGroupsToRemove', () => {
  test('drains first, and tells of every step', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(5);
    expect(await story.row(id)).toMatchObject({ removalReason: 'Requested', exclusionSkipped: false });
    expect(await isGone(story, id)).toBe(true);
    expect(await story.ids('storage')).toHaveLength(5);
    for (const reason of ['Requested', 'Grow', 'Leaving', 'Drained', 'Removed', 'IncludedAgain'])
      expect(await story.events(reason), reason).not.toEqual([]);
    expect(story.exclusions).toEqual([]);
    expect(story.database.truth()).toEqual(nothingLost);
  });

  test('taking it off the list again is no cancel', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(5);
    await story.change({ processGroupsToRemove: [] });
    expect(await isGone(story, id)).toBe(true);
  });

  test('one that people include again after it was drained is emptied once more', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
    expect(await isDrained(story, id)).toBe(true);
    await story.database.fdbcli(['--exec', `include locality_instance_id:${id}`]);
    await story.world.pass(10);
    expect(await story.events('UsedAgain')).toMatchObject([{ type: 'Warning' }]);
    expect(story.exclusions).toEqual([`locality_instance_id:${id}`]);
    expect(await isDrained(story, id)).toBe(true);
    await story.change({ buggify: { blockRemoval: [] } });
    expect(await isGone(story, id)).toBe(true);
    expect(story.database.truth()).toEqual(nothingLost);
  });

  test('no cap holds people back: three at once, with no automatic replacement allowed', async () => {
    const story = await clusterUp({
      automationOptions: { replacements: { enabled: true, maxConcurrentReplacements: 0 } },
    });
    const ids = (await story.ids('log')).slice(0, 3);
    await story.change({ processGroupsToRemove: ids });
    await story.world.pass(5);
    expect(await story.marked()).toEqual(ids);
  });
});

describe('processGroupsToRemoveWithoutExclusion', () => {
  test('skips the drain and says so aloud', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    const pod = story.pod(id)?.uid;
    await story.change({ processGroupsToRemoveWithoutExclusion: [id] });
    await story.world.pass(1);
    expect(await story.row(id)).toMatchObject({ exclusionSkipped: true, exclusionTimestamp: null });
    const told = await story.events('RequestedWithoutExclusion');
    expect(told.map(({ type }) => type)).toEqual(told.map(() => 'Warning'));
    expect(told.map(({ action }) => action)).toEqual(expect.arrayContaining(['Mark', 'Remove']));
    expect(await isGone(story, id, 60)).toBe(true);
    expect(story.world.pods('db').map(({ uid }) => uid)).not.toContain(pod);
    expect(await story.events('Drained')).toEqual([]);
    // What it took with it is made again from the other copy.
    expect(await story.world.until(async () => (await story.status()).health.fullReplication, 900)).toBe(true);
    expect(story.database.truth()).toEqual(nothingLost);
  });

  test('also for one that was leaving the safe way', async () => {
    const story = await clusterUp({}, { database: { bytesPerSecond: 1 } });
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(300);
    expect(await story.waits(id)).toContain('Draining');
    await story.change({ processGroupsToRemoveWithoutExclusion: [id] });
    await story.world.pass(60);
    expect(story.pod(id)).toBeUndefined();
    expect(await story.events('RequestedWithoutExclusion')).not.toEqual([]);
  });
});

describe('without exclusion, all the same', () => {
  test('a coordinator gives its seat to another first', async () => {
    const story = await clusterUp();
    const seats = () => story.database.parts().coordinators.members();
    const id = seats()[0]?.process.group ?? '';
    await story.change({ processGroupsToRemoveWithoutExclusion: [id] });
    expect(await isGone(story, id)).toBe(true);
    expect(seats().map(({ process }) => process.group)).not.toContain(id);
    expect(seats()).toHaveLength(3);
    expect(story.database.truth()).toEqual(nothingLost);
  });

  test('no seat is given to another one that leaves', async () => {
    const story = await clusterUp();
    const seats = () => story.database.parts().coordinators.members();
    const isSeated = (id: string) => seats().some(({ process }) => process.group === id);
    const others = (await story.ids('log')).filter((id) => !isSeated(id));
    const coordinator = seats()[0]?.process.group ?? '';
    await story.change({ processGroupsToRemoveWithoutExclusion: [coordinator, ...others] });
    expect(await story.world.until(() => Promise.resolve(!isSeated(coordinator)), 60)).toBe(true);
    expect(others).not.toEqual([]);
    expect(others.filter(isSeated)).toEqual([]);
  });

  test('one that the engine does not know any more goes at once', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.cutOff(id);
    await story.world.pass(120);
    await story.change({ processGroupsToRemoveWithoutExclusion: [id] });
    expect(await isGone(story, id, 60)).toBe(true);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});

describe('before anything is removed', () => {
  test.each([
    { replicated: false, waits: ['NotFullyReplicated'] },
    { replicated: true, waits: [] },
  ])(
    'the engine is fully replicated ($replicated): what is drained waits for $waits',
    async ({ replicated, waits }) => {
      const story = await clusterUp();
      const { id } = await story.alone('storage');
      await story.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
      expect(await isDrained(story, id)).toBe(true);
      await story.world.pass(10);
      expect(await story.waits(id)).toEqual(['RemovalBlocked']);
      const other = await story.alone('storage');
      if (!replicated) story.world.cluster.killNode(other.node);
      await story.world.pass(75);
      expect((await story.status()).health.fullReplication).toBe(replicated);
      await story.change({ buggify: { blockRemoval: [] } });
      await story.world.pass(15);
      expect(await story.waits(id)).toEqual(waits);
      expect(story.pod(id) === undefined).toBe(replicated);
      // Once the copies that died with the other one are made again it goes by itself.
      expect(await isGone(story, id)).toBe(true);
      expect(story.database.truth()).toEqual(nothingLost);
    },
  );

  test('every coordinator answers, whatever is removed', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
    expect(await isDrained(story, id)).toBe(true);
    const silent = story.database.parts().coordinators.members()[0]?.process.group ?? '';
    story.cutOff(silent);
    await story.world.pass(40);
    await story.change({ buggify: { blockRemoval: [] } });
    await story.world.pass(15);
    expect(await story.waits(id)).toEqual(['ToleranceLacking']);
    expect(story.pod(id)).toBeDefined();
    // Its seat is given to another one, and then it goes by itself.
    expect(await isGone(story, id)).toBe(true);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});

describe('a process that nobody can reach any more', () => {
  test.each(['7.3.63', '7.1.40'])('without an IP it is excluded by its known address (%s)', async (version) => {
    const engine = { type: 'foundationdb', version } as const;
    const story = await clusterUp({ engine }, { database: { version } });
    const { id, node } = await story.alone('storage');
    const [address = ''] = (await story.row(id))?.addresses ?? [];
    story.world.cluster.killNode(node);
    await story.world.pass(90);
    await story.world.people.delete(
      pods,
      { namespace: 'db', name: `orders-${id}` },
      { ...call, gracePeriodSeconds: 0 },
    );
    await story.world.pass(30);
    expect(story.pod(id)).toMatchObject({ phase: 'Pending', nodeName: '' });
    expect((await story.row(id))?.addresses).toEqual([address]);
    await story.change({ processGroupsToRemove: [id] });
    expect(await story.world.until(() => story.exclusions.length > 0, 600)).toBe(true);
    expect(story.exclusions).toContain(address.replace(/:\d+$/, ''));
    expect(await isGone(story, id)).toBe(true);
    expect(story.exclusions).toEqual([]);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});

describe('stuck terminating', () => {
  test('stays excluded, holds nobody else up and does not count', async () => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 300 };
    const story = await clusterUp({ automationOptions: { replacements } });
    const { id } = await story.alone('storage');
    await story.holdOn(id);
    await story.change({ processGroupsToRemove: [id] });
    expect(await story.world.until(() => story.pod(id)?.deletionTimestamp !== undefined, 900)).toBe(true);
    await story.world.pass(120);
    expect(await story.row(id)).toMatchObject({ conditions: [{ type: 'ResourcesTerminating' }] });
    expect(await story.waits(id)).toEqual(['StuckTerminating']);
    expect(await story.events('StuckTerminating')).toMatchObject([{ type: 'Warning' }]);
    expect(await story.condition('Ready')).toMatchObject({ status: 'True' });
    expect((await story.status()).counts).toMatchObject({ desired: 12, current: 12, available: 12 });

    // One fails, which one at a time allows, and another is asked for: both go to their end.
    const failed = await story.alone('storage');
    const [asked = ''] = await story.ids('stateless');
    story.cutOff(failed.id);
    await story.change({ processGroupsToRemove: [id, asked] });
    expect(await isGone(story, failed.id)).toBe(true);
    expect(await isGone(story, asked)).toBe(true);
    expect(story.exclusions).toEqual([`locality_instance_id:${id}`]);

    await story.holdOn(id, []);
    expect(await isGone(story, id)).toBe(true);
    expect(story.exclusions).toEqual([]);
    expect(story.database.truth().lost).toEqual([]);
  });
});

describe('an id that does not exist', () => {
  test.each(['processGroupsToRemove', 'processGroupsToRemoveWithoutExclusion', 'cancelReplacementsForInstance'])(
    'in %s is ignored, with a condition and one Warning',
    async (list) => {
      const story = await clusterUp();
      await story.change({ [list]: ['storage-4711'] });
      await story.world.pass(5);
      const before = story.world.writes.length;
      await story.world.pass(300);
      expect(story.world.writes.slice(before)).toEqual([]);
      expect(await story.condition('UnknownProcessGroups')).toMatchObject({
        status: 'True',
        reason: 'IdsNotFound',
        message: expect.stringContaining(`${list} lists storage-4711`),
      });
      expect(await story.events('UnknownProcessGroup')).toMatchObject([{ type: 'Warning', action: 'Refuse' }]);
      expect(await story.world.isAtRest(key)).toBe(true);
      await story.world.killOperator();
      story.world.startOperator();
      await story.world.pass(60);
      expect(await story.events('UnknownProcessGroup')).toHaveLength(1);
      await story.change({ [list]: [] });
      await story.world.pass(5);
      expect(await story.condition('UnknownProcessGroups')).toMatchObject({ status: 'False', reason: 'AllFound' });
    },
  );

  test('does not keep its neighbour in the list from being replaced', async () => {
    const story = await clusterUp();
    const [id = ''] = await story.ids('stateless');
    await story.change({ processGroupsToRemove: ['storage-4711', id] });
    await story.world.pass(5);
    expect(await story.marked()).toEqual([id]);
  });
});
