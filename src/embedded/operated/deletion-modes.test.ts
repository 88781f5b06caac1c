import { describe, expect, test } from 'vitest';
import { isReady } from '../cluster/pod-view.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, rolesWith, runningCluster, templateWith } from './testing/running-cluster.ts';

const changed = { template: templateWith({ image: 'foundationdb:7.3.69' }) };
const everyRole = foundationdb.roles.map((role) => ({ ...role, ...changed }));
const remade = (options: object = {}) => ({ podUpdateStrategy: 'Delete' as const, ...options });

interface Away {
  readonly pods: readonly string[];
  readonly zones: readonly string[];
}

/** Looks five times a second until the spec is rolled out, and gives every set of pods that were away at the same moment. */
async function rollOut(cluster: RunningCluster, within = 1200): Promise<readonly Away[]> {
  const seen: Away[] = [];
  const zoneOf = new Map(
    (await cluster.rows()).map(({ processGroupID, nodeName }) => [processGroupID, nodeName ?? '']),
  );
  for (let looks = 1; looks <= within * 5; looks++) {
    await cluster.world.pass(0.2);
    const away = [...zoneOf.keys()].filter((id) => {
      const pod = cluster.pod(id);
      return pod === undefined || pod.deletionTimestamp !== undefined || !isReady(pod);
    });
    seen.push({ pods: away, zones: [...new Set(away.map((id) => zoneOf.get(id) ?? ''))] });
    if (looks % 50 === 0 && (await cluster.world.isAtRest(key))) {
      // The last one that is back may take a role over, which is a recovery of some seconds.
      await cluster.world.pass(30);
      return seen;
    }
  }
  throw new Error('it was not rolled out');
}

const nodeOf = ({ nodeName }: { readonly nodeName: string | null }): string => nodeName ?? '';
const most = (seen: readonly Away[], what: keyof Away): number => Math.max(...seen.map((away) => away[what].length));

describe('deletionMode', () => {
  test.each([
    ['not set', {}],
    ['Zone', { deletionMode: 'Zone' }],
  ])('%s: the pods of one zone go together, and those of another one after they are back', async (_what, mode) => {
    const cluster = await runningCluster({ automationOptions: remade(mode) });
    const pods = cluster.uids();
    await cluster.change({ roles: everyRole });
    const seen = await rollOut(cluster);
    expect(most(seen, 'zones')).toBe(1);
    expect(most(seen, 'pods')).toBeGreaterThan(1);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids());
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('ProcessGroup: one pod goes, and another one after it is back', async () => {
    const cluster = await runningCluster({ automationOptions: remade({ deletionMode: 'ProcessGroup' }) });
    const pods = cluster.uids();
    await cluster.change({ roles: everyRole });
    const seen = await rollOut(cluster);
    expect(most(seen, 'pods')).toBe(1);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids());
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('All: all pods go at once, without asking any rule, and that is told loudly', async () => {
    // With addresses that outlive pods: coordinators that all come back under others are not found by anybody.
    const spec = { publicIPSource: 'Service', automationOptions: remade({ deletionMode: 'All' }) } as const;
    const cluster = await runningCluster(spec);
    const pods = cluster.uids();
    await cluster.change({ roles: everyRole });
    const seen = await rollOut(cluster);
    expect(most(seen, 'pods')).toBe(12);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids());
    expect(await cluster.events('AllAtOnce')).toContainEqual(expect.objectContaining({ type: 'Warning' }));
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('Zone: what does not come up stops there, whatever the role, and goes on with a template that is put right', async () => {
    const cluster = await runningCluster({ automationOptions: remade() });
    const pods = cluster.uids();
    const bad = { ...changed.template, metadata: { annotations: { 'fake.drover.dev/ready': 'false' } } };
    await cluster.change({ roles: foundationdb.roles.map((role) => ({ ...role, template: bad })) });
    await cluster.world.pass(3600);
    const down = cluster.remadeSince(pods);
    const zones = new Set((await cluster.rows()).filter((row) => down.includes(row.processGroupID)).map(nodeOf));
    expect(zones.size).toBe(1);
    const others = (await cluster.rows()).filter((row) => !down.includes(row.processGroupID));
    expect(others.flatMap(({ waitingFor }) => waitingFor.map(({ message }) => message))).toContainEqual(
      expect.stringMatching(
        /^stateless-\d+ keeps its old pod: that of \S+ was made again as the spec has it at \S+, and does not serve yet$/,
      ),
    );
    await cluster.change({ roles: everyRole });
    await rollOut(cluster);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids());
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('Zone: the rules are asked, so that no pod goes that serves while another zone is down', async () => {
    const cluster = await runningCluster({ automationOptions: remade() });
    const [row] = await cluster.rows('storage');
    const zone = row?.nodeName ?? '';
    cluster.world.cluster.killNode(zone);
    await cluster.world.pass(120);
    const pods = cluster.uids();
    await cluster.change({ roles: rolesWith('storage', changed) });
    await cluster.world.pass(900);
    const serving = (await cluster.rows('storage')).filter(({ nodeName }) => nodeName !== zone);
    expect(serving.length).toBeGreaterThan(0);
    for (const { processGroupID } of serving) {
      expect(cluster.remadeSince(pods)).not.toContain(processGroupID);
      expect(await cluster.waits(processGroupID)).toContain('OtherZoneDown');
    }
  });
});

describe('maxZonesWithUnavailablePods', () => {
  /** Storage is changed while pods of another role are not ready in so many zones, in all of which there is storage too. */
  const changedWith = async (zones: number, limit: number | null, mode: object = {}) => {
    const spec = { maxZonesWithUnavailablePods: limit, automationOptions: remade(mode) };
    // No more than one coordinator is a storage server: a majority of them stays, whatever the mode.
    const cluster = await runningCluster(spec, 3);
    const rows = await cluster.rows();
    const storage = rows.filter(({ role }) => role === 'storage');
    const others = rows.filter(
      ({ role, nodeName }) => role !== 'storage' && storage.some((one) => one.nodeName === nodeName),
    );
    const unavailable = [...new Map(others.map((row) => [row.nodeName, row])).values()].slice(0, zones);
    expect(unavailable).toHaveLength(zones);
    for (const { processGroupID } of unavailable) await cluster.annotate(processGroupID, { ready: 'false' });
    await cluster.world.pass(60);
    const pods = cluster.uids();
    await cluster.change({ roles: rolesWith('storage', changed) });
    const inThese = storage.filter(({ nodeName }) => unavailable.some((one) => one.nodeName === nodeName));
    return { cluster, pods, unavailable, inThese: inThese.map(({ processGroupID }) => processGroupID) };
  };

  test.each([
    [0, 0, 'passes'],
    [1, 0, 'waits'],
    [1, 1, 'passes'],
    [2, 1, 'waits'],
    [2, 2, 'passes'],
    [2, null, 'passes'],
  ] as const)('%i zones with unavailable pods, at most %s: a pod of another zone %s', async (zones, limit, what) => {
    const { cluster, pods, inThese, unavailable } = await changedWith(zones, limit);
    const storage = await cluster.ids('storage');
    await cluster.world.pass(600);
    expect(cluster.remadeSince(pods)).toEqual(what === 'waits' ? inThese : storage);
    if (what === 'passes') return;
    for (const id of storage) if (!inThese.includes(id)) expect(await cluster.waits(id)).toContain('ZonesUnavailable');
    const [first] = unavailable;
    await cluster.annotate(first?.processGroupID ?? '', { ready: 'true' });
    await cluster.world.pass(600);
    expect(cluster.remadeSince(pods)).toEqual(storage);
  });

  test.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])('at most %i, all at once: what is deleted counts for what comes after it, so that %i go', async (limit, zones) => {
    const { cluster, pods } = await changedWith(0, limit, { deletionMode: 'All' });
    const seen = await rollOut(cluster);
    expect(most(seen, 'zones')).toBe(zones);
    expect(cluster.remadeSince(pods)).toEqual(await cluster.ids('storage'));
  });
});
