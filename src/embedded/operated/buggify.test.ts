import { describe, expect, test } from 'vitest';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, runningCluster } from './testing/running-cluster.ts';

const automationOptions = {
  waitBetweenRemovalsSeconds: 0,
  replacements: { enabled: true, failureDetectionTimeSeconds: 120 },
};
const automatic = () => runningCluster({ automationOptions });
/** Where nothing is replaced but what people ask for. */
const plain = () => runningCluster();

const faultsOf = (cluster: RunningCluster, id: string) => cluster.pod(id)?.annotations['drover.dev/faults'];
const conditionsOf = async (cluster: RunningCluster, id: string) =>
  (await cluster.row(id))?.conditions.map(({ type }) => type);

describe('buggify.crashLoop', () => {
  const inject = async (set: () => Promise<RunningCluster>, role = 'storage') => {
    const cluster = await set();
    const [id = '', other = ''] = await cluster.ids(role);
    const pods = cluster.uids();
    await cluster.change({ buggify: { crashLoop: [id] } });
    await cluster.world.pass(40);
    return { cluster, id, other, pods };
  };

  // Also of the roles for which another change of the pod is a replacement: the successor would not have the fault.
  test.each(['storage', 'log', 'stateless'])(
    'a pod of %s is made again so that it cannot start, and no other',
    async (role) => {
      const { cluster, id, pods } = await inject(automatic, role);
      expect(cluster.remadeSince(pods)).toEqual([id]);
      expect(faultsOf(cluster, id)).toBe('crash-loop');
      expect(cluster.pod(id)?.object).toMatchObject({ spec: { containers: [{ command: ['crash-loop'] }] } });
      expect(await cluster.marked()).toEqual([]);
    },
  );

  test('it is not replaced, however long it fails, and that is told; another one that fails is', async () => {
    const { cluster, id, other } = await inject(automatic);
    await cluster.annotate(id, { fail: 'crash-loop' });
    await cluster.annotate(other, { ready: 'false' });
    await cluster.world.pass(1200);
    expect(await conditionsOf(cluster, id)).toContain('MissingProcesses');
    expect(await conditionsOf(cluster, id)).toContain('PodFailing');
    expect((await cluster.row(id))?.removalTimestamp).toBeNull();
    expect(await cluster.waits(id)).toContain('CrashLoopOnPurpose');
    expect(await cluster.events('CrashLoopOnPurpose')).toHaveLength(1);
    expect(await cluster.ids()).not.toContain(other);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test.each([
    ['at once', 0],
    ['after ten minutes', 600],
  ])('taken back %s: the pod is made again as it should be', async (_when, later) => {
    const { cluster, id } = await inject(plain);
    await cluster.annotate(id, { fail: 'crash-loop' });
    await cluster.world.pass(later);
    await cluster.change({ buggify: { crashLoop: [] } });
    expect(await cluster.settles(600)).toBe(true);
    expect(faultsOf(cluster, id)).toBeUndefined();
    expect(await cluster.ids()).toContain(id);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('taken back after longer than the failure detection time: it is given that time anew, and comes up in it', async () => {
    const { cluster, id } = await inject(automatic);
    await cluster.annotate(id, { fail: 'crash-loop' });
    await cluster.world.pass(600);
    const ids = await cluster.ids();
    await cluster.change({ buggify: { crashLoop: [] } });
    await cluster.world.pass(10);
    expect(await cluster.marked()).toEqual([]);
    expect(await cluster.settles(600)).toBe(true);
    expect(await cluster.ids()).toEqual(ids);
    expect(faultsOf(cluster, id)).toBeUndefined();
  });

  test('for all: pods are made to crash for as long as the data survives without them, and no further', async () => {
    const cluster = await automatic();
    const ids = await cluster.ids();
    await cluster.change({ buggify: { crashLoop: ['*'] } });
    await cluster.world.pass(600);
    const faulty = ids.filter((id) => faultsOf(cluster, id) === 'crash-loop');
    expect(faulty.length).toBeGreaterThan(0);
    expect(faulty.length).toBeLessThan(12);
    expect(await cluster.marked()).toEqual([]);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('for all, taken back: all pods are as they should be', async () => {
    const cluster = await plain();
    const ids = await cluster.ids();
    await cluster.change({ buggify: { crashLoop: ['*'] } });
    await cluster.world.pass(600);
    await cluster.change({ buggify: { crashLoop: [] } });
    expect(await cluster.settles(1200)).toBe(true);
    expect(await cluster.ids()).toEqual(ids);
    for (const id of ids) expect(faultsOf(cluster, id)).toBeUndefined();
    expect(cluster.truth()).toEqual(nothingLost);
  });
});

describe('buggify.noSchedule', () => {
  test('the pod is made again so that no node fits, and waits there', async () => {
    const cluster = await plain();
    const [id = ''] = await cluster.ids('storage');
    const pods = cluster.uids();
    await cluster.change({ buggify: { noSchedule: [id] } });
    await cluster.world.pass(1200);
    expect(cluster.remadeSince(pods)).toEqual([id]);
    expect(faultsOf(cluster, id)).toBe('no-schedule');
    expect(cluster.pod(id)).toMatchObject({ phase: 'Pending', nodeName: '' });
    expect(await conditionsOf(cluster, id)).toContain('PodPending');
    expect(await cluster.waits(id)).toContain('Unschedulable');
    expect(await cluster.marked()).toEqual([]);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('taken back: the pod is made again, on its node and its volume', async () => {
    const cluster = await plain();
    const [row] = await cluster.rows('storage');
    const id = row?.processGroupID ?? '';
    const claims = cluster.pod(id)?.claims;
    await cluster.change({ buggify: { noSchedule: [id] } });
    await cluster.world.pass(300);
    await cluster.change({ buggify: { noSchedule: [] } });
    expect(await cluster.settles(120)).toBe(true);
    expect(faultsOf(cluster, id)).toBeUndefined();
    expect(cluster.pod(id)).toMatchObject({ nodeName: row?.nodeName, claims });
  });

  test('it fails as any other pod that finds no place does: it is replaced where that is automatic', async () => {
    const cluster = await automatic();
    const [id = ''] = await cluster.ids('storage');
    await cluster.change({ buggify: { noSchedule: [id] } });
    await cluster.world.pass(100);
    expect(await cluster.marked()).toEqual([]);
    await cluster.world.pass(60);
    expect(await cluster.marked()).toEqual([id]);
  });
});

describe('buggify.emptyMonitorConf', () => {
  test('pods are made again to run nothing, and nothing is replaced meanwhile, whatever fails', async () => {
    const cluster = await automatic();
    const ids = await cluster.ids();
    const [failing = ''] = await cluster.ids('stateless');
    await cluster.change({ buggify: { emptyMonitorConf: true } });
    await cluster.world.pass(600);
    await cluster.annotate(failing, { ready: 'false' });
    await cluster.world.pass(300);
    const empty = ids.filter((id) => faultsOf(cluster, id) === 'empty-monitor-conf');
    expect(empty.length).toBeGreaterThan(0);
    const env = expect.arrayContaining([{ name: 'DROVER_EMPTY_MONITOR_CONF', value: 'true' }]);
    for (const id of empty) expect(cluster.pod(id)?.object).toMatchObject({ spec: { containers: [{ env }] } });
    expect(await cluster.ids()).toEqual(ids);
    expect(await cluster.marked()).toEqual([]);
    expect(await cluster.waits(failing)).toContain('MonitorConfEmpty');
    expect(await cluster.events('MonitorConfEmpty')).toHaveLength(1);
  });

  test('taken back: all pods run their processes', async () => {
    const cluster = await plain();
    const ids = await cluster.ids();
    await cluster.change({ buggify: { emptyMonitorConf: true } });
    await cluster.world.pass(600);
    await cluster.change({ buggify: { emptyMonitorConf: false } });
    expect(await cluster.settles(1200)).toBe(true);
    for (const id of ids) expect(faultsOf(cluster, id)).toBeUndefined();
    expect(await cluster.ids()).toEqual(ids);
    expect(cluster.truth()).toEqual(nothingLost);
  });
});

describe('buggify.blockRemoval', () => {
  test.each([['by its id'], ['as one of all']])(
    '%s: it is drained and stays, until that is taken back',
    async (how) => {
      const cluster = await automatic();
      const [id = '', other = ''] = await cluster.ids('storage');
      const blockRemoval = how === 'by its id' ? [id] : ['*'];
      await cluster.change({ buggify: { blockRemoval }, processGroupsToRemove: [id, other] });
      await cluster.world.pass(1200);
      expect((await cluster.row(id))?.exclusionTimestamp).not.toBeNull();
      expect((await cluster.row(id))?.removingTimestamp).toBeNull();
      expect(cluster.pod(id)).toMatchObject({ phase: 'Running', deletionTimestamp: undefined });
      expect(await cluster.waits(id)).toContain('RemovalBlocked');
      expect((await cluster.ids()).includes(other)).toBe(how === 'as one of all');
      await cluster.change({ buggify: { blockRemoval: [] } });
      expect(await cluster.settles(600)).toBe(true);
      expect(await cluster.ids()).not.toContain(id);
      expect(cluster.truth()).toEqual(nothingLost);
    },
  );
});
