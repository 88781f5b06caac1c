import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Random } from '../../../src/kube/random.ts';
import { randomInteger, seededRandom } from '../../../src/kube/random.ts';
import type { OperatorProcess } from '../operator-process.ts';
import type { DrainWorld } from './drain-world.ts';
import type { StoreOnPods } from './store-on-pods.ts';

/** What a run works on. */
export interface ChaosStage {
  readonly world: DrainWorld;
  readonly of: string;
  readonly store: StoreOnPods;
  /** The one that runs now: it is killed, and started again. */
  readonly operator: () => OperatorProcess;
}

/** Words by which a drain that did not end says why: ours, the lock's, or those of an API server that is away. */
const reasons =
  /drover: |disruption budget|refused|EOF|reset by peer|Unable to connect|etcdserver|ServiceUnavailable|InternalError|unexpected error/;

const oneOf = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[randomInteger(random, 0, choices.length)] ?? choices[0];

/**
 * Three people drain, cordon and uncordon nodes at random while the operator and the API server die and the engine falls silent. Then everything is
 * let end. Rejects where data was lost, a drain waits without a reason, or something is left behind.
 */
export async function chaosRun(stage: ChaosStage, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const told: string[] = [];
  const people = ['jane', 'joe', 'jim'].map((by) =>
    drainer(stage, by, seededRandom(randomInteger(random, 0, 2 ** 31)), told),
  );
  await Promise.all([...people, trouble(stage, random)]);
  try {
    expect(told).toEqual([]);
    await letEnd(stage);
  } catch (error) {
    throw new Error(`seed ${seed}: ${await found(stage)}`, { cause: error });
  }
}

/** How a run that failed was found, for whoever has to say why. */
async function found({ world, of, store, operator }: ChaosStage): Promise<string> {
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
async function drainer({ world, of }: ChaosStage, by: string, random: Random, told: string[]): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const node = `${of}-${randomInteger(random, 1, 6)}`;
    await pause(randomInteger(random, 0, 500));
    if (random.next() < 0.2) await world.cluster.kubectl(['cordon', node]);
    const { code, stderr } = await world.drain(node, by, `--timeout=${randomInteger(random, 1, 7)}s`);
    if (code !== 0 && !reasons.test(stderr)) told.push(`${by} drained ${node} and was told no reason: ${stderr}`);
    if (random.next() < 0.7) await world.cluster.kubectl(['uncordon', node]);
  }
}

const troubles: readonly [Trouble, ...Trouble[]] = [killOperator, killApiServer, silenceEngine];
type Trouble = (stage: ChaosStage, random: Random) => Promise<void>;

async function trouble(stage: ChaosStage, random: Random): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await pause(randomInteger(random, 0, 2000));
    await oneOf(random, troubles)(stage, random);
  }
}

async function killOperator({ world, operator }: ChaosStage): Promise<void> {
  await world.kill(operator());
}

async function killApiServer({ world }: ChaosStage, random: Random): Promise<void> {
  await world.cluster.kill('kube-apiserver');
  await pause(randomInteger(random, 0, 1000));
  await world.cluster.start('kube-apiserver');
}

async function silenceEngine({ store: { store } }: ChaosStage, random: Random): Promise<void> {
  store.answer('none');
  await pause(randomInteger(random, 500, 3000));
  store.answer('whole');
}

/** Nobody drains any more and all is well: then it must also become so. */
async function letEnd({ world, of, store, operator }: ChaosStage): Promise<void> {
  const nodes = Array.from({ length: 5 }, (_, index) => `${of}-${index + 1}`);
  await world.until('somebody leads', async () => operator().log.some(({ msg }) => msg === 'leading'));
  await world.cluster.kubectl(['uncordon', ...nodes]);
  expect(store.store.truth().lost).toEqual([]);
  await world.until('all is whole again', async () => store.isSound && (await world.isWhole(of)), 180);
  const leftOver = async () => {
    const { grants = [], asks = [] } = await world.status(of);
    const open = (await world.pods(of)).filter((pod) => pod.open).map(({ name }) => `${name} is open`);
    const unfinished = asks.filter(({ letGoAt }) => letGoAt === null).map(({ by }) => `${by} still asks`);
    return [...open, ...unfinished, ...grants.map(({ uid }) => `${uid} is granted`)];
  };
  await expect.poll(leftOver, { timeout: 90_000, interval: 300 }).toEqual([]);
  expect((await world.status(of)).conditions).toContainEqual(expect.objectContaining({ reason: 'BudgetsInPlace' }));
  expect(store.store.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
}
