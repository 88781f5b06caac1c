import { describe, expect, test, vi } from 'vitest';
import { nodes } from '../../kube/resources.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { isReady } from '../cluster/pod-view.ts';
import { key } from './testing/foundationdb-spec.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, rolesWith, runningCluster, templateWith } from './testing/running-cluster.ts';

const changed = { template: templateWith({ image: 'foundationdb:7.3.69' }) };
const checker = (options: object = {}) => ({
  maintenanceModeOptions: { useMaintenanceModeChecker: true, ...options },
});
const toldZone = ({ world }: RunningCluster): string | null => world.database(key).parts().maintenance.zone;
const recorded = async ({ world }: RunningCluster) => (await world.status(key)).maintenance;
const isAway = (pod: PodView): boolean => pod.deletionTimestamp !== undefined || !isReady(pod);

/** The zones of storage process groups whose pods are away now. */
async function zonesAway(cluster: RunningCluster): Promise<readonly string[]> {
  return (await cluster.rows('storage')).flatMap(({ processGroupID, nodeName }) => {
    const pod = cluster.pod(processGroupID);
    return pod === undefined || isAway(pod) ? [nodeName ?? ''] : [];
  });
}

/** Looks twice a second until the spec is rolled out. Gives the zones that the engine was told of, each once. */
async function zonesToldOf(cluster: RunningCluster, look: () => Promise<void> = async () => {}): Promise<Set<string>> {
  const told = new Set<string>();
  for (let looks = 0; looks < 1200; looks++) {
    await cluster.world.pass(0.5);
    const zone = toldZone(cluster);
    if (zone !== null) told.add(zone);
    await look();
    if (looks % 20 === 19 && (await cluster.world.isAtRest(key)) && (await recorded(cluster)) === null) return told;
  }
  throw new Error('it was not rolled out within ten minutes');
}

/** Until a pod of the zone that is under maintenance has gone. */
async function inTheMiddle(cluster: RunningCluster): Promise<string> {
  for (let looks = 0; looks < 300; looks++) {
    await cluster.world.pass(0.1);
    const [zone] = await zonesAway(cluster);
    if (zone !== undefined) return zone;
  }
  throw new Error('no pod was deleted');
}

describe('the maintenance mode of the engine, while storage pods are made again', () => {
  test('is on for a zone before the first of its pods goes, and off once they are all back', async () => {
    const cluster = await runningCluster({ automationOptions: checker() });
    const zones = (await cluster.rows('storage')).map(({ nodeName }) => nodeName);
    const pods = cluster.uids();
    await cluster.change({ roles: rolesWith('storage', changed) });
    const told = await zonesToldOf(cluster, async () => {
      for (const zone of await zonesAway(cluster)) {
        expect(toldZone(cluster)).toBe(zone);
        expect(await recorded(cluster)).toMatchObject({ zone });
      }
    });
    expect(told).toEqual(new Set(zones));
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids('storage'));
    expect(toldZone(cluster)).toBeNull();
    expect(cluster.truth()).toEqual(nothingLost);
  });

  const strategy = { podUpdateStrategy: 'Delete' } as const;
  test.each([
    ['without the checker', 'storage', 'not told', {}],
    ['with it', 'storage', 'told', checker()],
    ['with it, one process group at a time', 'storage', 'told', { ...checker(), deletionMode: 'ProcessGroup' }],
    ['with it, and all at once, where no zone is left', 'storage', 'not told', { ...checker(), deletionMode: 'All' }],
    ['with it, which does not spare logs', 'log', 'not told', { ...checker(), ...strategy }],
    ['with it, which spares data alone', 'stateless', 'not told', { ...checker(), ...strategy }],
  ] as const)('%s, pods of %s: the engine is %s', async (_what, role, told, automationOptions) => {
    const cluster = await runningCluster({ automationOptions });
    const pods = cluster.uids();
    await cluster.change({ roles: rolesWith(role, changed) });
    expect((await zonesToldOf(cluster)).size > 0).toBe(told === 'told');
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids(role));
  });

  test('people have another zone under maintenance: no storage pod goes before that has ended', async () => {
    const cluster = await runningCluster({ automationOptions: checker() });
    const pods = cluster.uids();
    await cluster.world.database(key).fdbcli(['--exec', 'maintenance on n99 300']);
    await cluster.change({ roles: rolesWith('storage', changed) });
    await cluster.world.pass(290);
    expect(cluster.remadeSince(pods)).toEqual([]);
    for (const id of await cluster.ids('storage')) expect(await cluster.waits(id)).toContain('MaintenanceElsewhere');
    expect(toldZone(cluster)).toBe('n99');
    expect([...(await zonesToldOf(cluster))]).toHaveLength(6);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids('storage'));
  });

  test('the engine does not take it: no pod goes before it has, and it is told again and again', async () => {
    const cluster = await runningCluster({ automationOptions: checker() });
    const pods = cluster.uids();
    const database = cluster.world.database(key);
    const fdbcli = database.fdbcli.bind(database);
    let refusals = 0;
    const refusing = vi.spyOn(database, 'fdbcli').mockImplementation(async (argv, ...rest) => {
      if (!argv.join(' ').includes('maintenance on')) return fdbcli(argv, ...rest);
      refusals += 1;
      return { code: 1, stdout: '', stderr: 'ERROR: an unknown error occurred (4000)\n' };
    });
    await cluster.change({ roles: rolesWith('storage', changed) });
    await cluster.world.pass(120);
    expect(cluster.remadeSince(pods)).toEqual([]);
    const waiting = await Promise.all((await cluster.ids('storage')).map((id) => cluster.waits(id)));
    expect(waiting.flat()).toContain('MaintenancePending');
    expect(await recorded(cluster)).not.toBeNull();
    expect(refusals).toBeGreaterThan(10);
    refusing.mockRestore();
    expect((await zonesToldOf(cluster)).size).toBe(5);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids('storage'));
  });
});

describe('a pod that does not come back', () => {
  const setUp = async (seed = 1) => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 60 };
    const automationOptions = { ...checker({ maintenanceModeTimeSeconds: 300 }), replacements };
    const cluster = await runningCluster({ automationOptions }, seed);
    for (const { nodeName } of await cluster.rows('storage'))
      await cluster.world.people.patch(
        nodes,
        { name: nodeName ?? '' },
        { type: 'merge', body: { spec: { unschedulable: true } } },
        { signal: new AbortController().signal },
      );
    await cluster.change({ roles: rolesWith('storage', changed) });
    const zone = await inTheMiddle(cluster);
    const id = (await cluster.rows('storage')).find(({ nodeName }) => nodeName === zone)?.processGroupID ?? '';
    return { cluster, zone, id };
  };

  test('is expected to be away until the time is over, and no other zone is touched', async () => {
    const { cluster, zone, id } = await setUp();
    await cluster.world.pass(280);
    expect(toldZone(cluster)).toBe(zone);
    expect(await zonesAway(cluster)).toEqual([zone]);
    expect((await cluster.row(id))?.conditions.map(({ type }) => type)).not.toContain('MissingProcesses');
    expect(await cluster.marked()).toEqual([]);
  });

  test('then the maintenance ends, its failure counts from there, and it is replaced in its own time', async () => {
    const { cluster, id } = await setUp();
    await cluster.world.pass(310);
    expect(toldZone(cluster)).toBeNull();
    expect(await recorded(cluster)).toBeNull();
    expect((await cluster.row(id))?.conditions.map(({ type }) => type)).toContain('MissingProcesses');
    expect(await cluster.marked()).toEqual([]);
    await cluster.world.pass(70);
    expect(await cluster.marked()).toEqual([id]);
    expect(cluster.truth().lost).toEqual([]);
  });

  test('a storage server of another zone fails: the engine ends it early, and it is off on record too', async () => {
    // The two are not both coordinators: without their majority nobody could say anything.
    const { cluster, zone } = await setUp(2);
    await cluster.world.pass(30);
    expect(await recorded(cluster)).toMatchObject({ zone });
    const other = (await cluster.rows('storage')).find(({ nodeName }) => nodeName !== zone);
    cluster.world.cluster.killNode(other?.nodeName ?? '');
    await cluster.world.pass(120);
    expect(toldZone(cluster)).toBeNull();
    expect(await recorded(cluster)).toBeNull();
    expect(cluster.truth().lost).toEqual([]);
  });
});

describe('the operator dies', () => {
  const begun = async (options: object = {}) => {
    const cluster = await runningCluster({ automationOptions: checker(options) });
    const pods = cluster.uids();
    return { cluster, world: cluster.world, pods };
  };

  test('after the maintenance is recorded and before the engine is told: it is told by the next one', async () => {
    const { cluster, world, pods } = await begun();
    world.killAtWrite(world.writes.length + 1, true);
    await cluster.change({ roles: rolesWith('storage', changed) });
    await world.pass(60);
    expect(world.isDead).toBe(true);
    expect(await recorded(cluster)).not.toBeNull();
    expect(toldZone(cluster)).toBeNull();
    expect(cluster.remadeSince(pods)).toEqual([]);
    await world.killOperator();
    world.startOperator();
    expect((await zonesToldOf(cluster)).size).toBe(5);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids('storage'));
  });

  test.each([
    ['for a minute: the next one brings the pod back and ends it', 60],
    ['for longer than the mode lasts: the next one tells the engine again of each zone that is left', 700],
  ])('with a pod deleted, %s', async (_what, away) => {
    const { cluster, world, pods } = await begun();
    await cluster.change({ roles: rolesWith('storage', changed) });
    const zone = await inTheMiddle(cluster);
    await world.killOperator();
    await world.pass(away);
    expect(toldZone(cluster)).toBe(away < 600 ? zone : null);
    expect(await recorded(cluster)).toMatchObject({ zone });
    world.startOperator();
    const told = await zonesToldOf(cluster);
    expect(told.size).toBe(away < 600 ? 5 : 4);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids('storage'));
    expect(toldZone(cluster)).toBeNull();
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('with all of them back, before it told the engine that they are: the next one does', async () => {
    const { cluster, world } = await begun();
    await cluster.change({ roles: rolesWith('storage', changed) });
    const zone = await inTheMiddle(cluster);
    while ((await zonesAway(cluster)).length > 0) await world.pass(0.1);
    await world.killOperator();
    await world.pass(60);
    expect(toldZone(cluster)).toBe(zone);
    world.startOperator();
    await world.pass(6);
    expect(toldZone(cluster)).not.toBe(zone);
    expect((await zonesToldOf(cluster)).size).toBe(4);
    expect(toldZone(cluster)).toBeNull();
    expect(await recorded(cluster)).toBeNull();
  });
});
