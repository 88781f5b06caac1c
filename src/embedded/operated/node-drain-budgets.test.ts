import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import { budgets } from '../cluster/resources.ts';
import { DrainStory, drainStory } from './testing/drain-story.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import type { GuardedStore } from './testing/guarded-store.ts';
import { guardedStore, nothingLost } from './testing/guarded-store.ts';
import { kubectlDrain } from './testing/kubectl-drain.ts';

const call = { signal: new AbortController().signal };
const chart = { namespace: 'db', name: 'chart' };
const words = 'The disruption budget chart needs 1 healthy pods and has 1 currently';

/** Somebody's budget over one pod that it never lets go. */
async function hold(story: DrainStory, pod: string): Promise<void> {
  const body = { metadata: { labels: { held: 'yes' } } };
  await story.world.people.patch(pods, { namespace: 'db', name: pod }, { type: 'merge', body }, call);
  const selector = { matchLabels: { held: 'yes' } };
  await story.make(budgets, { metadata: chart, spec: { minAvailable: 1, selector } });
  await story.pass(10);
}

const letGo = (story: DrainStory) => story.world.people.delete(budgets, chart, call);

/** Everything that a status says of one pod in so many seconds, each thing once. */
async function everSaid(story: DrainStory, seconds: number, say: () => Promise<unknown>): Promise<readonly unknown[]> {
  const said = new Set<string>();
  for (let passed = 0; passed < seconds; passed += 2) {
    await story.pass(2);
    said.add(JSON.stringify(await say()));
  }
  return [...said].map((text) => JSON.parse(text));
}

/** What a NodeDrain says of one pod. */
async function drainSays(story: DrainStory, pod: string) {
  const rows = (await story.status('upgrade'))?.nodes.flatMap(({ waiting }) => waiting) ?? [];
  const row = rows.find((one) => one.pod === `db/${pod}`);
  return { verdict: row?.verdict, end: row?.estimatedEnd, says: row?.reasons.map(({ message }) => message) };
}

/** A pod with data, and another one that may not go together with it because they have a copy in common, and whose turn comes later. */
function twoThatShare(guarded: GuardedStore): readonly [string, string] {
  for (const { replicas } of guarded.store.whole().units) {
    const [first, second] = replicas.map(({ process }) => String(process)).sort();
    if (first !== undefined && second !== undefined) return [first, second];
  }
  throw new Error('no two pods have a copy in common');
}

describe('a guarded pod that somebody else’s budget holds, of a guard', () => {
  /** The node of the pod is drained, alone or with that of the other one. */
  async function drained({ alone = true } = {}) {
    const guarded = await guardedStore();
    const story = new DrainStory(guarded.world);
    const [pod, other] = twoThatShare(guarded);
    await hold(story, pod);
    const nodes = (alone ? [pod] : [pod, other]).map((one) => guarded.pod(one)?.nodeName ?? '');
    const uids = new Set([pod, other].map((one) => guarded.pod(one)?.uid));
    await story.drain('upgrade', { nodes, maxConcurrentNodes: 2 });
    await story.pass(10);
    const isSame = (one: string) => uids.has(guarded.pod(one)?.uid);
    return { guarded, story, pod, other, isSame };
  }

  test('says so all the time, another one gets its turn, and it goes once the budget is gone', async () => {
    const { guarded, story, pod, other, isSame } = await drained({ alone: false });
    const says = `${pod} is held by a disruption budget: ${words}`;
    const said = { verdict: 'wait', end: null, says: [says] };
    // While the other one is away a rule holds it as well, and that comes first.
    const away = { ...said, says: [expect.stringContaining(`(${other}: let go)`)] };
    const gone = { ...said, says: [expect.stringContaining(`(${other}: let go, not taken for back before 2026-`)] };
    const [first, second, ...later] = await everSaid(story, 180, () => drainSays(story, pod));
    expect([first, second]).toEqual([said, away]);
    // By whether the engine takes it for a new one, that is a minute after it was gone, or sooner.
    expect(later).toEqual(later.map(() => gone));
    expect(isSame(other)).toBe(false);
    expect(await everSaid(story, 600, () => drainSays(story, pod))).toEqual([said]);
    expect((await story.status('upgrade'))?.estimatedEnd).toBeNull();
    const row = await guarded.row(pod);
    expect(row?.waitingFor).toMatchObject([{ code: 'BudgetHolds', message: says, until: null }]);
    expect(isSame(pod)).toBe(true);
    expect((await guarded.status()).jobs).toMatchObject([{ id: `Evict/${pod}`, state: 'Failed', message: words }]);
    // One try every two minutes, and none beside them.
    const evictions = story.world.writes.filter((write) => write.endsWith(`/${pod}/eviction`)).length;
    expect(evictions).toBeGreaterThanOrEqual(4);
    expect(evictions).toBeLessThanOrEqual(7);

    // With the budget its word is gone: nobody waits for the next try.
    await letGo(story);
    expect(await story.until('upgrade', 'Completed', 45)).toBe(true);
    await story.pass(60);
    expect((await guarded.status()).jobs).toEqual([]);
    expect(isSame(pod)).toBe(false);
    expect(guarded.store.truth()).toMatchObject(nothingLost);
    expect(story.world.errors).toEqual([]);
  });

  test('says so after a restart too', async () => {
    const { story, pod } = await drained();
    await story.world.killOperator();
    await story.pass(20);
    story.world.startOperator();
    const said = await everSaid(story, 300, async () => (await drainSays(story, pod)).says);
    expect(said).toEqual([[`${pod} is held by a disruption budget: ${words}`]]);
    await letGo(story);
    expect(await story.until('upgrade', 'Completed', 240)).toBe(true);
  });

  test('a drain that is taken back leaves nothing behind', async () => {
    const { guarded, story, pod } = await drained();
    await story.cancel('upgrade');
    await story.pass(75);
    expect((await guarded.row(pod))?.waitingFor).toEqual([]);
    await story.pass(700);
    expect((await guarded.status()).jobs).toEqual([]);
  });

  test('whoever evicts it themselves is answered by the API server, while that waits', async () => {
    const { guarded, story, pod, isSame } = await drained();
    await story.pass(70);
    await expect(story.world.people.evict({ namespace: 'db', name: pod }, call)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining("Cannot evict pod as it would violate the pod's disruption budget"),
    });
    await letGo(story);
    // As it ever was: a grant that nobody could use counts for a minute.
    expect((await kubectlDrain(story.world, guarded.pod(pod)?.nodeName ?? '', { timeout: 75 })).exit).toBe(0);
    expect(isSame(pod)).toBe(false);
    expect(guarded.store.truth()).toMatchObject(nothingLost);
  });
});

describe('a guarded pod that somebody else’s budget holds, of a cluster', () => {
  test('says so all the time, no end is made up, and it goes once the budget is gone', async () => {
    const story = await drainStory({ nodes: 9 });
    await story.world.create(key, foundationdb);
    expect(await story.world.until(() => story.world.isAtRest(key), 300)).toBe(true);
    const find = async () => (await story.world.status(key)).processGroups.find(({ role }) => role === 'storage');
    const row = await find();
    const pod = `orders-${row?.processGroupID}`;
    await hold(story, pod);
    await story.drain('upgrade', { nodes: [row?.nodeName ?? ''] });
    const isHeld = async () => (await find())?.waitingFor.some(({ code }) => code === 'BudgetHolds') === true;
    expect(await story.world.until(isHeld, 1200)).toBe(true);
    await story.pass(10);
    const said = await everSaid(story, 600, () => drainSays(story, pod));
    expect(said).toEqual([{ verdict: 'wait', end: null, says: [`${pod} is held by a disruption budget: ${words}`] }]);
    expect((await story.world.status(key)).jobs).toMatchObject([{ verb: 'Evict', state: 'Failed', message: words }]);
    await letGo(story);
    expect(await story.until('upgrade', 'Completed', 1200)).toBe(true);
    await story.pass(60);
    expect((await story.world.status(key)).jobs).toEqual([]);
    expect(story.world.errors).toEqual([]);
  });
});
