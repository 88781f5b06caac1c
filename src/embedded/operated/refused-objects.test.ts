import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, runningCluster, templateWith } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };
const why = 'pods "orders-x" is forbidden: violates PodSecurity "restricted:latest"';
const refusedBy = (status: number) => ({ plural: 'pods', status, message: why });

/** What it waits for, in words. */
const says = async (cluster: RunningCluster, id: string) =>
  ((await cluster.row(id))?.waitingFor ?? []).map(({ message }) => message).join('\n');

/** A storage server loses its pod. */
async function loseOne(cluster: RunningCluster): Promise<string> {
  const [id = ''] = await cluster.ids('storage');
  await cluster.world.people.delete(pods, { namespace: 'db', name: `orders-${id}` }, call);
  return id;
}

describe('a pod that the API server does not take', () => {
  test.each([403, 422, 400])(
    'by a %i: it is told, tried again now and then, and made once it is taken',
    async (status) => {
      const cluster = await runningCluster();
      const { world } = cluster;
      world.refused = refusedBy(status);
      const id = await loseOne(cluster);
      await world.pass(60);
      expect(await cluster.waits(id)).toContain('ObjectRefused');
      expect(await says(cluster, id)).toContain(
        `${id} is not created: the API server refuses it: ${why} (${status}); tried again at `,
      );
      const { jobs } = await world.status(key);
      expect(jobs).toMatchObject([{ id: `Create/${id}`, state: 'Failed', message: `${why} (${status})` }]);
      expect(await cluster.events('ObjectRefused')).toEqual(
        expect.arrayContaining([expect.objectContaining({ note: expect.stringContaining(why) })]),
      );
      const before = world.refusals;
      await world.pass(600);
      expect(world.refusals - before).toBeLessThanOrEqual(6);
      expect(world.errors).toEqual([]);

      world.refused = undefined;
      expect(await world.until(() => world.isAtRest(key), 240)).toBe(true);
      expect((await world.status(key)).jobs).toEqual([]);
      expect(cluster.truth()).toEqual(nothingLost);
    },
  );

  test('another spec is tried at once, and so is whatever else there is to do', async () => {
    const cluster = await runningCluster({ automationOptions: { waitBetweenRemovalsSeconds: 0 } });
    const { world } = cluster;
    const [stateless = ''] = await cluster.ids('stateless');
    const [log = ''] = await cluster.ids('log');
    world.refused = { ...refusedBy(403), plural: 'services' };
    await cluster.change({ processGroupsToRemoveWithoutExclusion: [stateless] });
    await world.pass(5);
    expect(await cluster.settles(300)).toBe(true);
    expect(await cluster.ids('stateless')).not.toContain(stateless);

    world.refused = refusedBy(403);
    await loseOne(cluster);
    await world.pass(300);
    const before = world.refusals;
    await cluster.change({ processGroupsToRemove: [log] });
    await world.pass(2);
    expect(world.refusals).toBeGreaterThan(before);
  });

  test('for want of room alone it is tried with every look', async () => {
    const cluster = await runningCluster();
    const { world } = cluster;
    world.refused = { plural: 'pods', status: 403, message: 'pods "x" is forbidden: exceeded quota: best-effort' };
    const id = await loseOne(cluster);
    await world.pass(120);
    expect(await cluster.waits(id)).toContain('QuotaFull');
    expect(await says(cluster, id)).toContain('exceeded quota: best-effort');
    expect(world.refusals).toBeGreaterThan(10);
    const before = world.writes.length;
    await world.pass(600);
    expect(world.writes.slice(before)).toEqual([]);
  });
});

describe('a template that the API server does not take', () => {
  const automationOptions = { podUpdateStrategy: 'Delete', waitBetweenRemovalsSeconds: 0 } as const;
  const image = 'foundationdb:7.3.69';
  const change = { roles: foundationdb.roles.map((role) => ({ ...role, template: templateWith({ image }) })) };

  test('no pod is deleted for it: the old ones stay, and say why', async () => {
    const cluster = await runningCluster({ automationOptions });
    const { world } = cluster;
    const before = cluster.uids();
    world.refused = refusedBy(422);
    await cluster.change(change);
    await world.pass(900);
    expect(cluster.remadeSince(before)).toEqual([]);
    const all = await Promise.all((await cluster.ids()).map((id) => says(cluster, id)));
    expect(all.some((text) => text.includes('keeps its old pod: the API server refuses it'))).toBe(true);

    world.refused = undefined;
    expect(await cluster.settles(3600)).toBe(true);
    expect(cluster.remadeSince(before)).toHaveLength(before.size);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('for want of room: the old pod makes room for the new one', async () => {
    const cluster = await runningCluster({ automationOptions });
    const { world } = cluster;
    const before = cluster.uids();
    world.refused = { plural: 'pods', status: 403, message: 'exceeded quota: compute' };
    await cluster.change(change);
    await world.until(() => Promise.resolve(cluster.remadeSince(before).length > 0), 300);
    expect(cluster.remadeSince(before)).not.toEqual([]);
    world.refused = undefined;
    expect(await cluster.settles(3600)).toBe(true);
  });
});
