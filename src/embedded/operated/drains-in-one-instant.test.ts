import { describe, expect, test } from 'vitest';
import type { Random } from '../../kube/random.ts';
import { randomInteger, seededRandom } from '../../kube/random.ts';
import { key } from './testing/foundationdb-spec.ts';
import { kubectlEvict } from './testing/kubectl-drain.ts';
import { onNetworkVolumes } from './testing/network-volumes.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { runningCluster } from './testing/running-cluster.ts';

/** More of them with DROVER_INSTANTS. */
const instants = Number(process.env['DROVER_INSTANTS'] ?? 100);
/** So many in one world: it costs more to make one than to go on. */
const inOneWorld = 10;

/** Two storage servers in different zones, which may not both be gone: those of one zone may. */
async function twoOf(cluster: RunningCluster, random: Random): Promise<readonly [string, string]> {
  const ids = [...(await cluster.ids('storage'))];
  const [one = ''] = ids.splice(randomInteger(random, 0, ids.length), 1);
  const elsewhere = ids.filter((id) => cluster.pod(id)?.nodeName !== cluster.pod(one)?.nodeName);
  return [one, elsewhere[randomInteger(random, 0, elsewhere.length)] ?? ''];
}

/** The pods of these two that are not up, whether they go, come or are not there. */
const down = (cluster: RunningCluster, two: readonly string[]): readonly string[] =>
  two.filter((id) => {
    const pod = cluster.pod(id);
    return pod === undefined || pod.deletionTimestamp !== undefined || pod.phase !== 'Running';
  });

/** Two people want them at the same instant, and ask again every second or so; the operator may die at any write, and another one begins. */
async function strike(cluster: RunningCluster, random: Random, kills: boolean): Promise<readonly number[]> {
  const { world } = cluster;
  const [one, other] = await twoOf(cluster, random);
  if (kills) world.killAtWrite(world.writes.length + randomInteger(random, 1, 5), random.next() < 0.5);
  const first = await Promise.all([
    kubectlEvict(world, `orders-${one}`, 'jane'),
    kubectlEvict(world, `orders-${other}`, 'joe'),
  ]);
  expect(down(cluster, [one, other]).length).toBeLessThan(2);
  for (let asked = 0; asked < 3; asked++) {
    if (world.isDead) {
      await world.killOperator();
      await world.pass(randomInteger(random, 0, 3));
      world.startOperator();
    }
    await world.pass(1);
    expect(down(cluster, [one, other]).length).toBeLessThan(2);
    await Promise.all([kubectlEvict(world, `orders-${one}`, 'jane'), kubectlEvict(world, `orders-${other}`, 'joe')]);
    expect(down(cluster, [one, other]).length).toBeLessThan(2);
  }
  expect(cluster.truth()).toMatchObject({ lost: [], brokenQuorums: [] });
  return first.map(({ status }) => status);
}

describe('two evictions in one instant, of pods that may not both go', () => {
  const seeds = Array.from({ length: Math.ceil(instants / inOneWorld) }, (_, index) => index + 1);

  test.each(seeds)(
    `never take both, ${inOneWorld} times with seed %i, the operator killed in between in every second`,
    async (seed) => {
      const random = seededRandom(seed * 31);
      const cluster = await runningCluster({ roles: onNetworkVolumes }, seed);
      const { world } = cluster;
      let taken = 0;
      for (let time = 0; time < inOneWorld; time++) {
        const statuses = await strike(cluster, random, time % 2 === 1);
        expect(statuses.filter((status) => status === 201).length).toBeLessThan(2);
        taken += statuses.filter((status) => status === 201).length;
        await world.pass(5);
        if (world.isDead) {
          await world.killOperator();
          world.startOperator();
        }
        // Until the engine has shown what became of the last one, nobody else goes.
        const isOver = async () => (await world.isAtRest(key)) && (await world.status(key)).grants.length === 0;
        expect(await world.until(isOver, 300)).toBe(true);
      }
      // Nor neither, wherever the operator lives.
      expect(taken).toBeGreaterThanOrEqual(inOneWorld / 4);
    },
  );
});
