import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millis } from '../../../src/kube/clock.ts';
import type { OperatorProcess } from '../operator-process.ts';
import { chaosRound } from './chaos-run.ts';
import { DrainWorld } from './drain-world.ts';
import type { StoreOnPods } from './store-on-pods.ts';

/** As many as CI has time for; `npm run test:long` asks for more. */
const runs = Number(process.env['DROVER_CHAOS_RUNS'] ?? 10);
const pairs = Number(process.env['DROVER_EVICTION_PAIRS'] ?? 10);
const rounds = Number(process.env['DROVER_EVICTION_ROUNDS'] ?? 1);
const firstSeed = Number(process.env['DROVER_FIRST_SEED'] ?? 1);

let world: DrainWorld;
let operator: () => OperatorProcess;

beforeAll(async () => {
  world = await DrainWorld.start();
  operator = world.keptOperator();
  await operator().says('leading', 60_000);
});
afterAll(() => world?.stop());

const quickly = { automationOptions: { waitBetweenRemovalsSeconds: 0 } };

describe('two evictions in one instant, of pods that may not both go', () => {
  /** By somebody new each time: who had a pod of this name a moment ago is not sent after its successor. */
  async function evict(namespace: string, name: string, as: string): Promise<number> {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    return (await world.cluster.request('POST', path, { body, as })).status;
  }

  /** Both are asked for at once, until both are gone. The other one may go when the first is back with its data, and no sooner. */
  async function strike(of: string, store: StoreOnPods, by: string): Promise<void> {
    const both = await world.pods(of);
    expect(both).toHaveLength(2);
    const [one, other] = await Promise.all(both.map(({ name }) => evict(of, name, by)));
    expect([201, 429]).toContain(one);
    expect([201, 429]).toContain(other);
    expect([one, other]).not.toEqual([201, 201]);
    const isOver = async () => {
      expect(store.store.truth().lost).toEqual([]);
      const left = (await world.pods(of)).filter((pod) => both.some(({ uid }) => uid === pod.uid));
      // As kubectl does: whoever was told to wait asks again, also because nobody may have written it down.
      await Promise.all(left.map(({ name }) => evict(of, name, by)));
      if (left.length > 0) return false;
      const { grants = [], asks = [] } = await world.status(of);
      const isAsked = asks.some(({ letGoAt }) => letGoAt === undefined);
      return !isAsked && grants.length === 0 && store.isSound && (await world.isWhole(of));
    };
    await world.until(`${of} is over it`, isOver, 120);
  }

  test(`${pairs * rounds} times, with the leader changing in between: never both`, async () => {
    const names = Array.from({ length: pairs }, (_, index) => `pair${index + 1}`);
    // Like every engine it takes a moment to miss a process that is dead.
    const shape = { count: 2, shards: 2, noticeDelay: millis(500), spec: quickly };
    const stores = await Promise.all(names.map((of) => world.store(of, shape)));
    for (let round = 1; round <= rounds; round++) {
      const strikes = Promise.all(stores.map((store, index) => strike(names[index] ?? '', store, `caller-${round}`)));
      if (round % 2 === 1) await world.kill(operator());
      await strikes;
    }
  }, 3_600_000);
});

/** So many runs at a time: they mostly wait. */
const atOnce = 10;
const mostFailures = 5;

test(`${runs} random runs of drains, deaths and silence: nothing is lost, stuck or left behind`, async () => {
  const spec = { drainPolicy: 'block-for-eviction', trigger: 'Eviction', ...quickly };
  const shape = { count: 4, shards: 4, shardBytes: 2 ** 25, spec };
  const names = Array.from({ length: Math.min(runs, atOnce) }, (_, index) => `chaos${index + 1}`);
  const stages = await Promise.all(names.map(async (of) => ({ of, store: await world.store(of, shape) })));
  const failures: Error[] = [];
  // One that fails says nothing about the others, and to have played them took long.
  for (let first = 0; first < runs && failures.length < mostFailures; first += atOnce) {
    failures.push(...(await chaosRound({ world, operator }, stages.slice(0, runs - first), firstSeed + first)));
    if (runs > atOnce) console.log(`${Math.min(runs, first + atOnce)} of ${runs} runs, ${failures.length} failed`);
  }
  expect(failures).toEqual([]);
}, 36_000_000);
