import { describe, expect, test } from 'vitest';
import { type Random, randomInteger, seededRandom } from '../../kube/random.ts';
import { isReady } from './pod-view.ts';
import type { ClusterWorld } from './testing/cluster-world.ts';
import { FlakyNetwork } from './testing/flaky-transport.ts';
import { storyWorlds } from './testing/story.ts';

const start = storyWorlds();
const seeds = Array.from({ length: 8 }, (_, index) => index + 1);
const nodeNames = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];

type Mischief = (world: ClusterWorld, node: string, chance: Random) => Promise<unknown> | void;

const somePod = (world: ClusterWorld, chance: Random) => world.pods()[randomInteger(chance, 0, world.pods().length)];

const mischief: readonly Mischief[] = [
  (world, node) => world.cluster.killNode(node),
  (world, node) => world.cluster.isolateNode(node),
  (world, node) => world.cluster.reviveNode(node),
  (world, node) => world.patchNode(node, { spec: { unschedulable: true } }),
  (world, node) => world.patchNode(node, { spec: { unschedulable: false } }),
  (world, node) => world.patchNode(node, { spec: { taints: [{ key: 'example.com/x', effect: 'NoExecute' }] } }),
  (world, node) => world.patchNode(node, { spec: { taints: [] } }),
  (world, _, chance) => {
    const pod = somePod(world, chance);
    return pod === undefined ? undefined : world.deletePod(pod.name);
  },
  (world, _, chance) => {
    const pod = somePod(world, chance);
    return pod === undefined ? undefined : world.deletePod(pod.name, 0);
  },
  (world, _, chance) => {
    const pod = somePod(world, chance);
    if (pod !== undefined) world.cluster.crashPod(pod.namespace, pod.name);
  },
  (world, _, chance) => {
    const pod = somePod(world, chance);
    if (pod !== undefined) world.cluster.loseDisk(world.volumeOf(`data-${pod.name}`));
  },
];

describe('after an hour of mischief on a bad network', () => {
  test.each(seeds)(
    'no disk ever had two users, and once it ends every pod runs once and is ready (seed %i)',
    async (seed) => {
      const chance = seededRandom(seed + 500);
      const network = new FlakyNetwork(seededRandom(seed + 700));
      const world = await start({ seed, nodes: 6, zones: 3, between: network.between });
      await world.createSet('db', 4, { disk: 'network', set: { podManagementPolicy: 'Parallel' } });
      await world.createSet('kv', 3, { disk: 'local' });
      for (let minute = 0; minute < 60; minute++) {
        const act = mischief[randomInteger(chance, 0, mischief.length)];
        await act?.(world, nodeNames[randomInteger(chance, 0, nodeNames.length)] ?? '', chance);
        await world.pass(randomInteger(chance, 1, 120));
      }
      network.isBad = false;
      for (const node of nodeNames) {
        world.cluster.reviveNode(node);
        await world.patchNode(node, { spec: { unschedulable: false, taints: [] } });
      }
      await world.pass(1800);
      expect(world.pods().map(({ name }) => name)).toEqual(['db-0', 'db-1', 'db-2', 'db-3', 'kv-0', 'kv-1', 'kv-2']);
      expect(
        world
          .pods()
          .filter((pod) => !isReady(pod))
          .map((pod) => pod.name),
      ).toEqual([]);
      expect(
        world.cluster
          .processes()
          .map(({ uid }) => uid)
          .sort(),
      ).toEqual(
        world
          .pods()
          .map(({ uid }) => uid)
          .sort(),
      );
      for (const node of nodeNames) expect(world.taints(node)).toEqual([]);
    },
  );
});
