import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import type { ClusterStory } from './testing/cluster-story.ts';
import { clusterUp, nothingLost } from './testing/cluster-story.ts';
import { key } from './testing/foundationdb-spec.ts';

const call = { signal: new AbortController().signal };

const isGone = async (story: ClusterStory, id: string): Promise<boolean> =>
  story.world.until(async () => !(await story.ids()).includes(id), 1800);

/** What was written that is no status. */
const acts = (story: ClusterStory, before: number): readonly string[] =>
  story.world.writes.slice(before).filter((write) => !write.endsWith('/status'));

describe('an engine that does not answer', () => {
  test('at rest: the status says so, once, and says when it is over', async () => {
    const story = await clusterUp();
    const silent = story.world.clock.now();
    story.database.answer('none');
    await story.world.pass(90);
    expect(await story.events('EngineSilent')).toMatchObject([{ type: 'Warning' }]);
    expect((await story.status()).health).toMatchObject({ available: false, fullReplication: false });
    const ready = await story.condition('Ready');
    expect(ready).toMatchObject({ status: 'Unknown', reason: 'EngineUnreachable' });
    expect(Date.parse(ready?.lastTransitionTime ?? '') - silent).toBeLessThanOrEqual(60_000);
    const before = story.world.writes.length;
    await story.world.pass(600);
    expect(story.world.writes.slice(before)).toEqual([]);
    story.database.answer('whole');
    await story.world.pass(40);
    expect(await story.events('EngineAnswers')).toMatchObject([{ type: 'Normal' }]);
    expect(await story.events('EngineSilent')).toHaveLength(1);
    expect((await story.status()).health).toMatchObject({ available: true, fullReplication: true });
    expect(await story.condition('Ready')).toMatchObject({ status: 'True' });
    expect(await story.world.isAtRest(key)).toBe(true);
    expect(story.world.errors).toEqual([]);
  });

  test.each([
    { stage: 'marked', after: 2 },
    { stage: 'being emptied', after: 40 },
  ])('a removal that is $stage stands still, says since when, and goes on afterwards', async ({ after }) => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(after);
    const silent = story.world.clock.now();
    story.database.answer('none');
    await story.world.pass(60);
    const before = story.world.writes.length;
    const excluded = story.exclusions;
    await story.world.pass(900);
    expect(acts(story, before)).toEqual([]);
    expect(story.exclusions).toEqual(excluded);
    expect(await story.row(id)).toMatchObject({ exclusionTimestamp: null, removingTimestamp: null });
    const [wait] = (await story.row(id))?.waitingFor ?? [];
    expect(wait).toMatchObject({ code: 'EngineUnreachable' });
    expect(Date.parse(wait?.since ?? '') - silent).toBeLessThanOrEqual(60_000);
    expect((await story.events('EngineUnreachable')).map(({ type }) => type)).toContain('Warning');
    story.database.answer('whole');
    expect(await isGone(story, id)).toBe(true);
    expect(story.database.truth()).toEqual(nothingLost);
  });

  test('the node of the pod in which fdbcli runs is cut off: it is run in another one', async () => {
    const story = await clusterUp();
    const [first] = story.world.pods('db').toSorted((a, b) => (a.name < b.name ? -1 : 1));
    story.world.cluster.isolateNode(first?.nodeName ?? '');
    await story.world.pass(120);
    expect(await story.events('EngineSilent')).toEqual([]);
    expect(story.world.errors).toEqual([]);
  });

  test('no pod can run fdbcli: the status says so once, whichever pod is tried', async () => {
    const story = await clusterUp();
    for (const { nodeName } of story.world.pods('db')) story.world.cluster.isolateNode(nodeName);
    await story.world.pass(31);
    const before = story.world.writes.length;
    await story.world.pass(15);
    expect(story.world.writes.slice(before)).toEqual([]);
    expect((await story.condition('Ready'))?.message).toMatch(
      /^the engine does not answer: fdbcli could not be run in /,
    );
    expect(await story.marked()).toEqual([]);
  });

  test('what people ask for is written down, and its successor is not made before the engine answers', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    const before = await story.ids();
    story.database.answer('none');
    await story.world.pass(40);
    const writes = story.world.writes.length;
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(600);
    expect(await story.marked()).toEqual([id]);
    expect(await story.ids()).toEqual(before);
    expect(acts(story, writes)).toEqual([]);
    expect(await story.waits(id)).toEqual(['EngineUnreachable']);
    story.database.answer('whole');
    expect(await isGone(story, id)).toBe(true);
    expect(await story.ids()).toHaveLength(before.length);
  });

  test('a pod that is lost meanwhile is made again', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.database.answer('none');
    await story.world.pass(40);
    const uid = story.pod(id)?.uid;
    await story.world.people.delete(pods, { namespace: 'db', name: `orders-${id}` }, call);
    expect(await story.world.until(() => ![undefined, uid].includes(story.pod(id)?.uid), 120)).toBe(true);
    expect(await story.marked()).toEqual([]);
  });

  test('one that is drained is not removed while nobody can confirm that the rest is well', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
    expect(await story.world.until(async () => (await story.row(id))?.exclusionTimestamp !== null, 900)).toBe(true);
    story.database.answer('none');
    await story.world.pass(5);
    await story.change({ buggify: { blockRemoval: [] } });
    await story.world.pass(300);
    expect(story.pod(id)).toMatchObject({ deletionTimestamp: undefined });
    expect(await story.waits(id)).toEqual(['EngineUnreachable']);
    story.database.answer('whole');
    expect(await isGone(story, id)).toBe(true);
  });

  test('not even without exclusion', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.database.answer('none');
    await story.world.pass(5);
    await story.change({ processGroupsToRemoveWithoutExclusion: [id] });
    await story.world.pass(300);
    expect(story.pod(id)).toMatchObject({ deletionTimestamp: undefined });
    expect(await story.row(id)).toMatchObject({ removingTimestamp: null, waitingFor: [{ code: 'EngineUnreachable' }] });
    story.database.answer('whole');
    expect(await isGone(story, id)).toBe(true);
  });

  test('nothing is taken for failed, however long it lasts: an engine that is down makes everything look so', async () => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 60 };
    const story = await clusterUp({ automationOptions: { replacements } });
    const [before, pods] = [await story.ids(), story.world.pods('db').map(({ uid }) => uid)];
    story.database.answer('none');
    await story.world.pass(900);
    expect(await story.marked()).toEqual([]);
    story.database.answer('whole');
    await story.world.pass(120);
    expect(await story.ids()).toEqual(before);
    expect(story.world.pods('db').map(({ uid }) => uid)).toEqual(pods);
  });

  test('since when it is silent is not forgotten by an operator that begins anew', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.database.answer('none');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(60);
    const [wait] = (await story.row(id))?.waitingFor ?? [];
    await story.world.killOperator();
    await story.world.pass(300);
    story.world.startOperator();
    await story.world.pass(60);
    expect((await story.row(id))?.waitingFor).toEqual([wait]);
    expect(await story.events('EngineUnreachable')).toHaveLength(1);
  });

  test('a cancel is recorded, and the engine told when it answers again', async () => {
    const story = await clusterUp({}, { database: { bytesPerSecond: 20 * 2 ** 20 } });
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(60);
    expect(story.exclusions).not.toEqual([]);
    story.database.answer('none');
    await story.change({ processGroupsToRemove: [], cancelReplacementsForInstance: [id] });
    await story.world.pass(120);
    expect(await story.row(id)).toMatchObject({ removalTimestamp: null });
    expect(await story.waits(id)).toContain('EngineUnreachable');
    expect(story.exclusions).not.toEqual([]);
    story.database.answer('whole');
    expect(await story.world.until(() => story.exclusions.length === 0, 120)).toBe(true);
    expect(await story.world.until(() => story.world.isAtRest(key), 3600)).toBe(true);
    expect(await story.ids()).toContain(id);
  });
});

describe('an engine that gives half answers', () => {
  test('is believed in nothing that it leaves out: no removal goes on, nobody is taken for failed', async () => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 60 };
    const story = await clusterUp({ automationOptions: { replacements } });
    const { id } = await story.alone('storage');
    story.database.answer('partial');
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(1800);
    expect(await story.marked()).toEqual([id]);
    expect(await story.row(id)).toMatchObject({ exclusionTimestamp: null, removingTimestamp: null });
    expect(story.pod(id)).toMatchObject({ deletionTimestamp: undefined });
    expect((await story.row(id))?.waitingFor).toMatchObject([
      { code: 'EngineUnreachable', message: expect.stringContaining('the status is not whole') },
    ]);
    story.database.answer('whole');
    expect(await isGone(story, id)).toBe(true);
    expect(await story.ids()).toHaveLength(12);
    expect(story.database.truth()).toEqual(nothingLost);
  });

  test('at rest nothing is done', async () => {
    const story = await clusterUp();
    const before = story.world.writes.length;
    story.database.answer('partial');
    await story.world.pass(900);
    expect(acts(story, before)).toEqual([]);
    story.database.answer('whole');
    await story.world.pass(60);
    expect(await story.world.isAtRest(key)).toBe(true);
  });
});

describe('an engine that answers, and says that it does not serve', () => {
  test('nothing is marked, emptied or removed until it serves again', async () => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 60 };
    // The logs are no majority of the coordinators: else nobody could say that nothing is served.
    const story = await clusterUp({ automationOptions: { replacements } }, { seed: 2 });
    const { id } = await story.alone('storage');
    const logs = await story.ids('log');
    for (const log of logs) story.cutOff(log);
    await story.world.pass(30);
    await story.change({ processGroupsToRemove: [id] });
    await story.world.pass(600);
    expect(await story.marked()).toEqual([id]);
    expect(story.exclusions).toEqual([]);
    expect(await story.condition('Ready')).toMatchObject({ status: 'False', reason: 'EngineUnavailable' });
    for (const one of [id, ...logs]) expect(await story.waits(one)).toEqual(['EngineUnavailable']);
    for (const log of logs) story.rejoin(log);
    expect(await isGone(story, id)).toBe(true);
    expect(await story.ids('log')).toEqual(logs);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});
