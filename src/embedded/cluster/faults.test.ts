import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../kube/random.ts';
import { objectAt } from '../api-server/json.ts';
import { isReady } from './pod-view.ts';
import { FlakyNetwork } from './testing/flaky-transport.ts';
import { storyWorlds } from './testing/story.ts';

const start = storyWorlds();
const seeds = Array.from({ length: 6 }, (_, index) => index + 1);

describe('with every third request of every controller and kubelet going wrong', () => {
  test.each(seeds)('all comes to rest as if nothing had been (seed %i)', async (seed) => {
    const network = new FlakyNetwork(seededRandom(seed + 1000));
    const world = await start({ seed, nodes: 6, zones: 3, between: network.between });
    await world.createSet('db', 4, { disk: 'network' });
    await world.createDaemonSet('agent');
    await world.createBudget('lock', { maxUnavailable: 1, selector: { matchLabels: { app: 'db' } } });
    await world.pass(60);
    await world.patchNode('n1', { spec: { unschedulable: true } });
    world.cluster.killNode('n2');
    await world.deletePod('db-3');
    await world.pass(600);
    world.cluster.reviveNode('n2');
    await world.patchNode('n1', { spec: { unschedulable: false } });
    network.isBad = false;
    await world.pass(120);

    expect(network.faults).toBeGreaterThan(30);
    expect(world.pods().map(({ name }) => name.slice(0, 5))).toHaveLength(10);
    expect(world.pods().filter((pod) => !isReady(pod))).toEqual([]);
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
    for (let number = 1; number <= 6; number++) expect(world.taints(`n${number}`)).toEqual([]);
    expect(objectAt(world.budget('lock'), 'status')).toMatchObject({ currentHealthy: 4, disruptionsAllowed: 1 });
  });
});

describe('a cluster that is stopped in the middle of its work', () => {
  test.each([0, 0.03, 0.2, 1.1, 3, 60])(
    '%d s after much was asked of it, it ends at once, without any time passing',
    async (after) => {
      const network = new FlakyNetwork(seededRandom(4));
      const world = await start({ nodes: 6, zones: 3, between: network.between, leases: 'written' });
      await world.createSet('db', 4, { disk: 'network', set: { podManagementPolicy: 'Parallel' } });
      await world.createDaemonSet('agent');
      world.cluster.killNode('n2');
      await world.pass(after);
      const { version } = world.cluster.world.store;
      await world.cluster.stop();
      await world.pass(0);
      expect(world.clock.pending).toBe(0);
      await world.pass(3600);
      expect(world.cluster.world.store.version).toBe(version);
    },
  );
});
