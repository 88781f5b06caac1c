import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Random } from '../../../src/kube/random.ts';
import { randomInteger, seededRandom } from '../../../src/kube/random.ts';
import type { OperatorProcess } from '../operator-process.ts';
import type { DrainWorld } from './drain-world.ts';
import type { StoreOnPods } from './store-on-pods.ts';

/** What happens to all runs of a round. */
export interface ChaosWorld {
  readonly world: DrainWorld;
  /** The one that runs now: it is killed, and started again. */
  readonly operator: () => OperatorProcess;
}

/** What one run has to itself: a store, its namespace and its nodes. */
export interface ChaosStage {
  readonly of: string;
  readonly store: StoreOnPods;
}

type Played = ChaosWorld & ChaosStage;

/**
 * Words by which a drain that did not end says why: ours, the lock's, that the pod is going, or those of an API server that is away: a request that did
 * not get through is quoted with its method and address, whatever the network's word for it is.
 */
const reasons =
  /drover: |disruption budget|to terminate: context deadline exceeded|(Get|Post|Put|Patch|Delete) "https:|was refused|Unable to connect|etcdserver|ServiceUnavailable|InternalError|unexpected error/;

/**
 * One run on each stage, all at once: three people drain, cordon and uncordon its nodes at random while its engine falls silent, and operator and API
 * server die for all of them. Then everything is let end. Gives the runs in which data was lost, a drain waited without a reason, or something was left
 * behind.
 */
export async function chaosRound(
  chaos: ChaosWorld,
  stages: readonly ChaosStage[],
  firstSeed: number,
): Promise<readonly Error[]> {
  const runs = stages.map((stage, index) => ({
    ...chaos,
    ...stage,
    seed: firstSeed + index,
    told: new Array<string>(),
  }));
  const deaths = die(chaos, seededRandom(firstSeed));
  await Promise.all([deaths, ...runs.map((run) => misrule(run, run.seed, run.told))]);
  const failures = await Promise.all(
    runs.map(async (run) => {
      try {
        await letEnd(run);
        expect(run.told).toEqual([]);
        return [];
      } catch (error) {
        return [new Error(`seed ${run.seed}: ${await found(run)}`, { cause: error })];
      }
    }),
  );
  return failures.flat();
}

async function misrule(played: Played, seed: number, told: string[]): Promise<void> {
  const random = seededRandom(seed);
  const people = ['jane', 'joe', 'jim'].map((by) =>
    drainer(played, by, seededRandom(randomInteger(random, 0, 2 ** 31)), told),
  );
  await Promise.all([...people, fallSilent(played, random)]);
}

/** How a run that failed was found, for whoever has to say why. */
async function found({ world, of, store, operator }: Played): Promise<string> {
  const { units, health } = store.store.whole();
  const parts = {
    status: await world.status(of),
    pods: await world.pods(of),
    truth: store.store.truth(),
    units,
    health,
  };
  const { stdout: nodes } = await world.cluster.kubectl(['get', 'nodes', '-l', `of=${of}`]);
  const log = operator().output.split('\n').slice(-15).join('\n');
  return [JSON.stringify(parts, null, 1), nodes, log, world.cluster.log('kube-scheduler', 15)].join('\n');
}

/** Drains, gives up, comes back, uncordons or does not. */
async function drainer({ world, of }: Played, by: string, random: Random, told: string[]): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const node = `${of}-${randomInteger(random, 1, 6)}`;
    await pause(randomInteger(random, 0, 500));
    if (random.next() < 0.2) await world.cluster.kubectl(['cordon', node]);
    const { code, stderr } = await world.drain(node, by, `--timeout=${randomInteger(random, 1, 7)}s`);
    if (code !== 0 && !reasons.test(stderr)) told.push(`${by} drained ${node} and was told no reason: ${stderr}`);
    if (random.next() < 0.7) await world.cluster.kubectl(['uncordon', node]);
  }
}

/** Three deaths, at times that have nothing to do with what the people do. */
async function die({ world, operator }: ChaosWorld, random: Random): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await pause(randomInteger(random, 0, 3000));
    if (random.next() < 0.5) await world.kill(operator());
    else await killApiServer(world, random);
  }
}

async function killApiServer({ cluster }: DrainWorld, random: Random): Promise<void> {
  await cluster.kill('kube-apiserver');
  await pause(randomInteger(random, 0, 1000));
  keepScheduler(cluster);
  await cluster.start('kube-apiserver');
}

/** One whose binding was lost with the API server, and which then bound the pod elsewhere, ends itself: "Scheduler cache is corrupted". */
const keepScheduler = (cluster: DrainWorld['cluster']): void => cluster.keep('kube-scheduler');

async function fallSilent({ store: { store } }: ChaosStage, random: Random): Promise<void> {
  await pause(randomInteger(random, 0, 4000));
  if (random.next() < 0.5) return;
  store.answer('none');
  await pause(randomInteger(random, 500, 3000));
  store.answer('whole');
}

/** Nobody drains any more and all is well: then it must also become so. */
async function letEnd({ world, of, store, operator }: Played): Promise<void> {
  const nodes = Array.from({ length: 5 }, (_, index) => `${of}-${index + 1}`);
  await world.until('somebody leads', async () => operator().log.some(({ msg }) => msg === 'leading'));
  await world.cluster.kubectl(['uncordon', ...nodes]);
  expect(store.store.truth().lost).toEqual([]);
  const isWhole = async () => {
    keepScheduler(world.cluster);
    await world.nudgeKubelets(of);
    return store.isSound && (await world.isWhole(of));
  };
  await world.until('all is whole again', isWhole, 180);
  const leftOver = async () => {
    await world.nudgeKubelets(of);
    const { grants = [], asks = [], processGroups = [] } = await world.status(of);
    const emptied = processGroups.filter(({ evacuationTimestamp = null }) => evacuationTimestamp !== null);
    const excluded = store.store.whole().processes.filter((process) => process.excluded !== false);
    const open = (await world.pods(of)).filter((pod) => pod.open).map(({ name }) => `${name} is open`);
    const unfinished = asks.filter(({ letGoAt }) => letGoAt === undefined).map(({ by }) => `${by} still asks`);
    return [
      ...open,
      ...unfinished,
      ...grants.map(({ uid }) => `${uid} is granted`),
      ...emptied.map(({ processGroupID }) => `${processGroupID} is on record as being emptied`),
      ...excluded.map(({ id }) => `${id} is excluded`),
    ];
  };
  await expect.poll(leftOver, { timeout: 90_000, interval: 300 }).toEqual([]);
  expect((await world.status(of)).conditions).toContainEqual(expect.objectContaining({ reason: 'BudgetsInPlace' }));
  expect(store.store.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
}
