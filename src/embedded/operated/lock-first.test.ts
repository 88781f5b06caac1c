import { describe, expect, onTestFinished, test } from 'vitest';
import { jsonCodec } from '../../kube/codec.ts';
import { pods } from '../../kube/resources.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { OperatedWorld } from './operated-world.ts';
import { ClusterStory, clusterUp } from './testing/cluster-story.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';

const call = { signal: new AbortController().signal };
const locks = ['log', 'stateless', 'storage'].map((role) => `drover-cluster-orders.${role}`);
const full = 'poddisruptionbudgets.policy "x" is forbidden: exceeded quota: objects';
const noMoreBudgets = { plural: 'poddisruptionbudgets', status: 403, message: full };

/** A cluster that is asked for in a world that is as `prepare` leaves it. */
async function askedFor(prepare: (world: OperatedWorld) => void = () => {}): Promise<ClusterStory> {
  const world = new OperatedWorld({ database: { recoveryAgesBy: 60 } });
  onTestFinished(() => world.end());
  await world.begin();
  prepare(world);
  await world.create(key, foundationdb);
  return new ClusterStory(world);
}

const budgetsIn = async ({ world }: ClusterStory): Promise<readonly string[]> => {
  const codec = jsonCodec<DisruptionBudget, string>(({ metadata }) => metadata.name);
  return (await world.people.list(disruptionBudgets, codec, { ...call, namespace: 'db' })).items.toSorted();
};

const comesUp = ({ world }: ClusterStory): Promise<boolean> => world.until(() => world.isAtRest(key), 300);

test('every lock of a new cluster is made before its first pod', async () => {
  const story = await askedFor();
  expect(await comesUp(story)).toBe(true);
  const made = story.world.writes.flatMap((write) => /^POST .*\/(poddisruptionbudgets|pods)$/.exec(write)?.[1] ?? []);
  const first = made.indexOf('pods');
  expect(await budgetsIn(story)).toEqual(locks);
  expect(made.slice(0, first)).toEqual(locks.map(() => 'poddisruptionbudgets'));
  expect(made.slice(first)).not.toContain('poddisruptionbudgets');
});

describe('a lock that cannot be made', () => {
  test('keeps back the first pods of its role, says why, and comes by itself once it can be made', async () => {
    const story = await askedFor((world) => {
      world.refused = noMoreBudgets;
    });
    const { world } = story;
    await world.pass(120);
    expect(world.pods('db')).toEqual([]);
    expect(world.writes.filter((write) => write.endsWith('/persistentvolumeclaims'))).toEqual([]);
    const [storage] = await story.rows('storage');
    expect(storage?.waitingFor).toMatchObject([{ code: 'BudgetMissing' }]);
    expect(storage?.waitingFor[0]?.message).toContain(
      `is not created, because nothing would lock it: the API server refuses the budget drover-cluster-orders.storage: ${full} (403); next: change the quota`,
    );
    expect(await story.condition('Locked')).toMatchObject({ status: 'False', reason: 'BudgetMissing' });
    const told = (await story.events('BudgetMissing')).filter(({ note }) =>
      note?.startsWith(`${storage?.processGroupID} `),
    );
    expect(told).toMatchObject([{ type: 'Warning', action: 'Wait' }]);
    const before = world.writes.length;
    await world.pass(600);
    expect(world.writes.slice(before)).toEqual([]);
    expect(world.errors).toEqual([]);

    world.refused = undefined;
    expect(await comesUp(story)).toBe(true);
    expect(await budgetsIn(story)).toEqual(locks);
    expect(await story.condition('Locked')).toMatchObject({ status: 'True' });
  });

  test('keeps no pod back where the role has served: that is healed and replaced, and it is told that nothing locks it', async () => {
    const story = await clusterUp({ automationOptions: { waitBetweenRemovalsSeconds: 0 } });
    const { world } = story;
    world.refused = noMoreBudgets;
    for (const name of locks) await world.people.delete(disruptionBudgets, { namespace: 'db', name }, call);
    const [lost = '', replaced = ''] = await story.ids('storage');
    await world.people.delete(pods, { namespace: 'db', name: `orders-${lost}` }, call);
    await story.change({ processGroupsToRemove: [replaced] });
    expect(await world.until(async () => !(await story.ids()).includes(replaced), 900)).toBe(true);
    expect(story.pod(lost)).toBeDefined();
    expect(await story.ids('storage')).toHaveLength(
      world.pods('db').filter(({ name }) => name.includes('storage')).length,
    );
    expect(await story.condition('Blocked')).toMatchObject({
      status: 'True',
      reason: 'BudgetMissing',
      message: expect.stringContaining('nothing locks the pods of log, stateless, storage while Drover is down'),
    });
    expect(await story.events('BudgetMissing')).toMatchObject([{ type: 'Warning', action: 'Wait' }]);

    world.refused = undefined;
    await world.pass(60);
    expect(await budgetsIn(story)).toEqual(locks);
    expect(await story.condition('Blocked')).toMatchObject({ status: 'False' });
    expect(await story.events('BudgetMissing')).toHaveLength(1);
  });
});
