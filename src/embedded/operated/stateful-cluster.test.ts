import { afterEach, describe, expect, test, vi } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { nodes } from '../../kube/resources.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import { OperatedWorld } from './operated-world.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';

const worlds: OperatedWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

/** A cluster that is up and at rest. */
async function up(spec: Partial<StatefulClusterSpecInput> = {}): Promise<OperatedWorld> {
  const world = new OperatedWorld();
  worlds.push(world);
  await world.begin();
  await world.create(key, { ...foundationdb, ...spec });
  expect(await world.until(() => world.isAtRest(key), 300)).toBe(true);
  // Ten quiet minutes after the first recovery the engine may be told anything.
  await world.pass(700);
  expect(await world.isAtRest(key)).toBe(true);
  return world;
}

const idsOf = async (world: OperatedWorld, role = '') =>
  (await world.status(key)).processGroups
    .map(({ processGroupID }) => processGroupID)
    .filter((id) => id.startsWith(role));

const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };

describe('a FoundationDB cluster', () => {
  test('comes up from one manifest: pods, claims, coordinators, database', async () => {
    const world = await up();
    expect(await idsOf(world)).toHaveLength(12);
    expect(world.pods('db')).toHaveLength(12);
    const { health, conditions, bootstrapTimestamp } = await world.status(key);
    expect(health).toMatchObject({ available: true, fullReplication: true });
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True', reason: 'AllAvailable' });
    expect(bootstrapTimestamp).not.toBeNull();
    expect(world.errors).toEqual([]);
  });

  test('at rest nothing is written, for hours, and the engine is only looked at: every 30 s', async () => {
    const world = await up();
    const [before, asked] = [world.writes.length, vi.spyOn(world.database(key), 'fdbcli')];
    await world.pass(4 * 3600);
    expect(world.writes.slice(before)).toEqual([]);
    const commands = asked.mock.calls.map(([argv]) => argv[argv.indexOf('--exec') + 1]);
    expect(new Set(commands)).toEqual(new Set(['status json']));
    expect(commands.length).toBeGreaterThanOrEqual(4 * 119);
    expect(commands.length).toBeLessThanOrEqual(4 * 121);
  });

  test('replacement is growing, then shrinking: a successor first, then the old one with its volume', async () => {
    const world = await up();
    const [old = ''] = await idsOf(world, 'storage');
    await world.change(key, { processGroupsToRemove: [old] });
    expect(await world.until(async () => (await world.status(key)).counts.leaving === 1, 60)).toBe(true);
    expect(await idsOf(world, 'storage')).toHaveLength(6);
    expect(await world.until(async () => !(await idsOf(world)).includes(old), 3600)).toBe(true);
    expect(await idsOf(world, 'storage')).toHaveLength(5);
    expect(world.pods('db').map(({ name }) => name)).not.toContain(`orders-${old}`);
    expect(world.database(key).truth()).toEqual(nothingLost);
  });

  test('a coordinator is replaced after its seat was given to another', async () => {
    const world = await up();
    const { coordinators } = world.database(key).parts();
    const [seat] = coordinators.members();
    const group = seat?.process.group ?? '';
    await world.change(key, { processGroupsToRemove: [group] });
    expect(await world.until(async () => !(await idsOf(world)).includes(group), 3600)).toBe(true);
    expect(world.database(key).truth()).toEqual(nothingLost);
    expect(world.database(key).parts().coordinators.members()).toHaveLength(3);
  });

  test('a replacement is cancelled, and everything is as it was', async () => {
    const world = await up();
    const before = await idsOf(world);
    const [old = ''] = await idsOf(world, 'storage');
    await world.change(key, { processGroupsToRemove: [old] });
    expect(await world.until(async () => (await world.status(key)).counts.leaving === 1, 60)).toBe(true);
    await world.change(key, { processGroupsToRemove: [], cancelReplacementsForInstance: [old] });
    expect(await world.until(() => world.isAtRest(key), 7200)).toBe(true);
    expect(await idsOf(world)).toEqual(before);
    expect(
      world
        .database(key)
        .whole()
        .processes.some(({ excluded }) => excluded === true),
    ).toBe(false);
  });

  test('a failed process group is replaced after exactly its failure detection time, and not before', async () => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 1800 };
    const world = await up({ automationOptions: { replacements } });
    const row = (await world.status(key)).processGroups.find(({ processGroupID }) =>
      processGroupID.startsWith('storage'),
    );
    world.cluster.killNode(row?.nodeName ?? '');
    const marked = async () =>
      (await world.status(key)).processGroups.filter(({ removalTimestamp }) => removalTimestamp !== null);
    expect(await world.until(async () => (await marked()).length > 0, 7200)).toBe(true);
    const [first] = await marked();
    const since = first?.conditions.find(({ type }) => type === 'MissingProcesses')?.timestamp ?? '';
    const waited = (Date.parse(first?.removalTimestamp ?? '') - Date.parse(since)) / 1000;
    expect(waited).toBeGreaterThanOrEqual(1800);
    expect(waited).toBeLessThan(1831);
    expect(await marked()).toHaveLength(1);
    expect(world.database(key).truth().lost).toEqual([]);
  });

  test('a taint: detected at once, replaced after its duration and the hold, each by its own clock', async () => {
    const taintReplacementOptions = [{ key: 'example.com/maintenance', durationInSeconds: 1200 }];
    const replacements = { enabled: true, taintReplacementOptions, taintReplacementTimeSeconds: 1800 };
    const world = await up({ automationOptions: { replacements } });
    const row = (await world.status(key)).processGroups.find(({ processGroupID }) =>
      processGroupID.startsWith('storage'),
    );
    const group = row?.processGroupID ?? '';
    const taints = [{ key: 'example.com/maintenance', value: 'yes', effect: 'NoSchedule' }];
    const tainted = world.clock.monotonic();
    await world.people.patch(
      nodes,
      { name: row?.nodeName ?? '' },
      { type: 'merge', body: { spec: { taints } } },
      { signal: new AbortController().signal },
    );
    const conditionsOf = async () =>
      (await world.status(key)).processGroups.find(({ processGroupID }) => processGroupID === group);
    await world.pass(2);
    expect((await conditionsOf())?.conditions).toMatchObject([{ type: 'NodeTaintDetected' }]);
    await world.until(async () => (await conditionsOf())?.removalTimestamp !== null, 7200);
    expect((world.clock.monotonic() - tainted) / 1000).toBeGreaterThanOrEqual(3000);
    expect((world.clock.monotonic() - tainted) / 1000).toBeLessThan(3040);
    expect(await world.until(async () => !(await idsOf(world)).includes(group), 7200)).toBe(true);
    expect(world.database(key).truth()).toEqual(nothingLost);
  });

  test('a changed template: storage is made again on its volume, zone by zone, the others are replaced', async () => {
    const world = await up();
    const [storage, others] = [await idsOf(world, 'storage'), await idsOf(world, 'log')];
    const claims = new Map(world.pods('db').map((pod) => [pod.name, pod.claims]));
    const roles = foundationdb.roles.map((role) => ({
      ...role,
      template: { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.69' }] } },
    }));
    await world.change(key, { roles });
    await world.pass(60);
    expect(await world.until(() => world.isAtRest(key), 6 * 3600)).toBe(true);
    expect(await idsOf(world, 'storage')).toEqual(storage);
    expect((await idsOf(world, 'log')).some((id) => others.includes(id))).toBe(false);
    for (const pod of world.pods('db').filter(({ name }) => name.includes('storage')))
      expect(pod.claims).toEqual(claims.get(pod.name));
    expect(world.database(key).truth()).toEqual(nothingLost);
  });

  test('all pods at once are made again, and the coordinators are never gone for good', async () => {
    const world = await up({ automationOptions: { podUpdateStrategy: 'Delete', deletionMode: 'All' } });
    const before = new Map(world.pods('db').map(({ name, uid }) => [name, uid]));
    const template = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.69' }] } };
    await world.change(key, { roles: foundationdb.roles.map((role) => ({ ...role, template })) });
    await world.pass(60);
    expect(await world.until(() => world.isAtRest(key), 6 * 3600)).toBe(true);
    expect(world.pods('db').filter(({ name, uid }) => before.get(name) === uid)).toEqual([]);
    expect(world.database(key).truth()).toEqual(nothingLost);
  });

  test('deleted with the cluster: pods, claims and the connection string go, and nothing else is done', async () => {
    const world = await up();
    const options = { signal: new AbortController().signal, propagationPolicy: 'Background' } as const;
    await world.people.delete(statefulClusters, { namespace: 'db', name: 'orders' }, options);
    await world.pass(120);
    expect(world.pods('db')).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  test('a status that was lost is made anew from what is there', async () => {
    const world = await up();
    const before = await idsOf(world);
    await world.killOperator();
    await world.people.patch(
      statefulClusters,
      { namespace: 'db', name: 'orders' },
      { type: 'merge', body: { status: { processGroups: [], nextProcessGroupNumber: 1 } } },
      { signal: new AbortController().signal, subresource: 'status' },
    );
    world.startOperator();
    await world.pass(60);
    expect(await idsOf(world)).toEqual(before);
    expect(world.pods('db')).toHaveLength(12);
  });
});
