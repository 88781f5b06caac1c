import { describe, expect, onTestFinished, test } from 'vitest';
import { OperatedWorld } from './operated-world.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, runningCluster, templateWith } from './testing/running-cluster.ts';

const failing = {
  'crash-loop': { fail: 'crash-loop' },
  'never-starts': { 'start-after-seconds': 'never' },
  'never-ready': { ready: 'false' },
} as const;
type How = keyof typeof failing;

/** A template that does not work, by what the kubelet of these tests reads. */
const broken = (how: How) => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(failing[how]).map(([k, v]) => [`fake.drover.dev/${k}`, v])),
  },
  ...templateWith({ image: 'foundationdb:mistyped' }),
});
const repaired = templateWith({ image: 'foundationdb:7.3.64' });
const roll = (cluster: RunningCluster, template: object, change: object = {}) =>
  cluster.change({ roles: foundationdb.roles.map((role) => ({ ...role, template, ...change })) });

const imagesOf = (cluster: RunningCluster): readonly string[] => [
  ...new Set(
    cluster.world.pods('db').flatMap(({ object }) => JSON.stringify(object).match(/foundationdb:[\w.]+/g) ?? []),
  ),
];

// The first release by whose locality one that never reported can be excluded, and one that has only addresses for that.
describe.each(['7.3.63', '6.3.24'])('a template that does not work, with %s', (version) => {
  test.each<[How, 'Delete' | 'Replace', 'stops' | 'goes on']>([
    ['crash-loop', 'Delete', 'stops'],
    ['never-starts', 'Delete', 'stops'],
    ['never-ready', 'Delete', 'stops'],
    ['crash-loop', 'Replace', 'stops'],
    ['never-starts', 'Replace', 'stops'],
    // What the engine relies on is relied on: data moves to it, whatever its probe says.
    ['never-ready', 'Replace', 'goes on'],
  ])(
    '%s, %s: the rollout %s, nothing is lost, and all is as it should be once people have repaired it',
    async (how, podUpdateStrategy, outcome) => {
      const engine = { type: 'foundationdb', version } as const;
      const automationOptions = { podUpdateStrategy, waitBetweenRemovalsSeconds: 0 };
      const database = { version, bytes: 2 ** 30, recoveryAgesBy: 10 };
      const cluster = await runningCluster({ engine, automationOptions }, 1, { database });
      await roll(cluster, broken(how));
      for (let minute = 0; minute < 10; minute++) {
        await cluster.world.pass(60);
        expect(cluster.truth()).toMatchObject({ lost: [], brokenQuorums: [] });
      }
      expect(cluster.truth()).toEqual(nothingLost);
      expect(imagesOf(cluster).includes('foundationdb:7.3.63')).toBe(outcome === 'stops');
      await roll(cluster, repaired);
      expect(await cluster.settles(3600)).toBe(true);
      expect(imagesOf(cluster)).toEqual(['foundationdb:7.3.64']);
      expect(await cluster.ids()).toHaveLength(12);
      expect(cluster.truth()).toEqual(nothingLost);
    },
  );

  test('what only ever crashed can be taken away again', async () => {
    const engine = { type: 'foundationdb', version } as const;
    const automationOptions = { podUpdateStrategy: 'Replace', waitBetweenRemovalsSeconds: 0 } as const;
    const database = { version, bytes: 2 ** 30, recoveryAgesBy: 10 };
    const cluster = await runningCluster({ engine, automationOptions }, 1, { database });
    const before = await cluster.ids('storage');
    await roll(cluster, broken('crash-loop'));
    await cluster.world.pass(60);
    const crashing = (await cluster.ids('storage')).find((id) => !before.includes(id)) ?? '';
    expect((await cluster.row(crashing))?.waitingFor.map(({ message }) => message)).toContain(
      `${crashing} does not come up: foundationdb ended with exit code 1`,
    );
    await cluster.change({ processGroupsToRemove: [crashing] });
    await cluster.world.pass(1200);
    expect(await cluster.ids('storage')).not.toContain(crashing);
    expect(cluster.truth()).toEqual(nothingLost);
  });
});

test('all at once, and repaired with a change that replaces: what is down is brought up to give its data away', async () => {
  const automationOptions = {
    deletionMode: 'All',
    podUpdateStrategy: 'Delete',
    waitBetweenRemovalsSeconds: 0,
  } as const;
  const cluster = await runningCluster({ automationOptions, publicIPSource: 'Service' });
  await roll(cluster, broken('crash-loop'));
  await cluster.world.pass(300);
  expect(cluster.truth().unavailable).not.toEqual([]);
  await roll(cluster, repaired, { processesPerPod: 2 });
  expect(await cluster.settles(3600)).toBe(true);
  expect(imagesOf(cluster)).toEqual(['foundationdb:7.3.64']);
  expect(cluster.truth()).toEqual(nothingLost);
});

test.each<[How, 'Zone' | 'ProcessGroup' | 'All']>([
  ['crash-loop', 'Zone'],
  ['never-starts', 'Zone'],
  ['crash-loop', 'ProcessGroup'],
  ['crash-loop', 'All'],
  ['never-starts', 'All'],
])('a first template that does not work (%s, %s) is repaired by putting it right', async (how, deletionMode) => {
  const world = new OperatedWorld({ seed: 1, database: { bytes: 2 ** 30, recoveryAgesBy: 10 } });
  onTestFinished(() => world.end());
  await world.begin();
  const wrong = foundationdb.roles.map((role) => ({ ...role, template: broken(how) }));
  await world.create(key, { ...foundationdb, automationOptions: { deletionMode }, roles: wrong });
  await world.pass(300);
  await world.change(key, { roles: foundationdb.roles });
  const serves = async () => (await world.isAtRest(key)) && ((await world.status(key)).health?.available ?? false);
  expect(await world.until(serves, 600)).toBe(true);
});
