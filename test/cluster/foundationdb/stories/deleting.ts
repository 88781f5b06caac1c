import { expect } from 'vitest';
import { isReady } from '../../../../src/embedded/cluster/pod-view.ts';
import { sharedPool } from '../stage.ts';
import type { Story } from '../story.ts';
import { roles, template, withTwoStateless } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';
import { changedStorage } from './maintaining.ts';

const image = 'foundationdb:7.3.69';

interface Away {
  readonly pods: readonly string[];
  readonly zones: readonly string[];
}

/** Every set of pods that were away at the same moment, from now on: told of each change of a pod, it misses none. */
function watchAway(cluster: StoryCluster): readonly Away[] {
  const seen: Away[] = [];
  const zoneOf = new Map(cluster.rows().map(({ processGroupID, nodeName }) => [processGroupID, nodeName ?? '']));
  cluster.stage.pods.subscribe((pod) => {
    if (pod.namespace !== cluster.namespace) return;
    const away = [...zoneOf.keys()].filter((id) => {
      const own = cluster.pod(id);
      return own === undefined || own.deletionTimestamp !== undefined || !isReady(own);
    });
    seen.push({ pods: away, zones: [...new Set(away.map((id) => zoneOf.get(id) ?? ''))] });
  });
  return seen;
}

const most = (seen: readonly Away[], what: keyof Away): number => Math.max(...seen.map((away) => away[what].length));

/** All pods of the cluster are made again, and it comes to rest. */
async function remakesAll(cluster: StoryCluster, change: object): Promise<readonly Away[]> {
  const [ids, pods, seen] = [cluster.ids(), cluster.uids(), watchAway(cluster)];
  await cluster.change(change);
  await eventually(() => expect(cluster.remadeSince(pods)).toEqual([...ids].sort()));
  await cluster.settles();
  expect(cluster.ids()).toEqual(ids);
  expect(cluster.everMarked()).toEqual([]);
  await cluster.lostNothing();
  return seen;
}

/** Each role with this in its templates. */
const everywhere = (pool: string, container: object = {}, spec: object = {}) =>
  roles(
    pool,
    withTwoStateless,
    Object.fromEntries(
      Object.keys(withTwoStateless).map((role) => [role, { template: template(pool, container, spec) }]),
    ),
  );
const remade = (options: object = {}) => ({ podUpdateStrategy: 'Delete' as const, ...options });

const modes: readonly Story[] = [
  {
    says: 'deletionMode ProcessGroup: one pod goes, and another one after it is back',
    counts: withTwoStateless,
    spec: { automationOptions: remade({ deletionMode: 'ProcessGroup' }) },
    goes: async (cluster) => {
      const seen = await remakesAll(cluster, { roles: everywhere(sharedPool, { image }) });
      expect(most(seen, 'pods')).toBe(1);
    },
  },
  {
    says: 'deletionMode All: all pods go at once, without asking any rule, and that is told loudly',
    counts: withTwoStateless,
    // With addresses that outlive pods: coordinators that all come back under others are not found by anybody.
    spec: { publicIPSource: 'Service', automationOptions: remade({ deletionMode: 'All' }) },
    goes: async (cluster) => {
      const seen = await remakesAll(cluster, { roles: everywhere(sharedPool, { image }) });
      expect(most(seen, 'pods')).toBe(8);
      await eventually(async () =>
        expect(await cluster.events('AllAtOnce')).toContainEqual(expect.objectContaining({ type: 'Warning' })),
      );
    },
  },
  {
    says: 'deletionMode not set is Zone: the pods of one zone go together, and those of another one after they are back',
    ownNodes: 4,
    // Eight on four nodes, so that some share one.
    spec: { automationOptions: remade(), roles: everywhere('deleting-3', {}, { affinity: {} }) },
    goes: async (cluster) => {
      const seen = await remakesAll(cluster, { roles: everywhere('deleting-3', { image }, { affinity: {} }) });
      expect(most(seen, 'zones')).toBe(1);
      expect(most(seen, 'pods')).toBeGreaterThan(1);
    },
  },
];

const limits = [
  { limit: 0, passes: false },
  { limit: 1, passes: true },
].map(
  ({ limit, passes }): Story => ({
    says: `maxZonesWithUnavailablePods ${limit}, one zone has some: a pod of another zone ${passes ? 'passes' : 'waits'}`,
    spec: { maxZonesWithUnavailablePods: limit, automationOptions: remade() },
    goes: async (cluster) => {
      const [ids, pods] = [cluster.ids('storage'), cluster.uids()];
      const [unavailable = ''] = cluster.ids('log');
      await cluster.fares(unavailable, { ready: 'false' });
      await eventually(() => expect(cluster.ails(unavailable)).toEqual(['PodFailing']));
      await cluster.change(changedStorage(sharedPool));
      if (!passes) {
        await eventually(() => {
          for (const id of ids) expect(cluster.waits(id)).toContain('ZonesUnavailable');
        });
        await cluster.pass(60);
        expect(cluster.remadeSince(pods)).toEqual([]);
        await cluster.fares(unavailable, { ready: 'true' });
      }
      await eventually(() => expect(cluster.remadeSince(pods)).toEqual([...ids].sort()));
      await cluster.lostNothing();
    },
  }),
);

export const deleting: readonly Story[] = [...modes, ...limits];
