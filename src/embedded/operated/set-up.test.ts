import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { OperatedWorldOptions } from './operated-world.ts';
import { OperatedWorld } from './operated-world.ts';
import { ClusterStory } from './testing/cluster-story.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import { rolesWith } from './testing/running-cluster.ts';

/** A cluster that was just asked for, and what is done to its world before that. */
async function asked(
  spec: Partial<StatefulClusterSpecInput>,
  options: OperatedWorldOptions = {},
  before: (world: OperatedWorld) => void = () => {},
): Promise<ClusterStory> {
  const world = new OperatedWorld({ database: { recoveryAgesBy: 60 }, ...options });
  onTestFinished(() => world.end());
  await world.begin();
  before(world);
  await world.create(key, { ...foundationdb, ...spec });
  return new ClusterStory(world);
}

const engineWith = (given: object): Partial<StatefulClusterSpecInput> => ({
  engine: { ...foundationdb.engine, foundationdb: given },
});

const isSetUp = (story: ClusterStory) =>
  story.world.until(async () => (await story.condition('Ready'))?.status === 'True', 600);

const setUpWaits = ['CoordinatorsNotChosen', 'SetUpUnanswered', 'SetUpRefused'];
const told = async (story: ClusterStory) => (await Promise.all(setUpWaits.map((code) => story.events(code)))).flat();

describe('a new database that waits to be set up', () => {
  const hosts =
    'a new database needs 5 coordinators in 5 zones, or in 3 once every pod is ready, by kubernetes.io/hostname; zones with a ready pod of';
  const zones =
    'a new database needs 3 coordinators in 3 zones, by topology.kubernetes.io/zone; zones with a ready pod of';

  test.each<[string, Partial<StatefulClusterSpecInput>, number, readonly string[], string]>([
    [
      'two nodes for triple',
      engineWith({ redundancyMode: 'triple' }),
      2,
      ['z3', 'z1', 'z2'],
      `${hosts} storage, log: 2 (n1, n2)`,
    ],
    [
      'one zone for double',
      { faultDomain: { key: 'topology.kubernetes.io/zone' } },
      1,
      ['z2', 'z3'],
      `${zones} storage, log: 1 (z1)`,
    ],
  ])('%s: told once, in the status until the zones come', async (_, spec, nodes, missing, why) => {
    const story = await asked(spec, { nodes });
    await story.world.pass(120);
    const blocked = await story.condition('Blocked');
    expect(blocked).toMatchObject({ status: 'True', reason: 'CoordinatorsNotChosen' });
    expect(blocked?.message).toMatch(/^db\/orders has waited to be set up since [\dT:.-]+Z: /);
    expect(blocked?.message).toContain(why);
    expect(await told(story)).toMatchObject([{ type: 'Normal', action: 'Wait', reason: 'CoordinatorsNotChosen' }]);
    expect((await story.rows()).flatMap(({ waitingFor }) => waitingFor)).toEqual([]);

    const before = story.world.writes.length;
    await story.world.pass(600);
    await story.world.killOperator();
    story.world.startOperator();
    await story.world.pass(60);
    expect(story.world.writes.slice(before).filter((write) => write.includes('statefulclusters'))).toEqual([]);
    expect(await told(story)).toHaveLength(1);

    for (const [index, zone] of missing.entries()) await story.world.cluster.addNode({ name: `late-${index}`, zone });
    await story.world.pass(60);
    await story.change({ roles: rolesWith('storage', { count: 12 }) });
    expect(await isSetUp(story)).toBe(true);
    expect(await story.condition('Blocked')).toMatchObject({ status: 'False', reason: 'NothingWaits' });
    expect(story.world.errors).toEqual([]);
  });

  test('an engine that does not answer', async () => {
    const story = await asked({}, {}, (world) => world.database(key).answer('none'));
    await story.world.pass(300);
    expect(await story.condition('Blocked')).toMatchObject({ status: 'True', reason: 'SetUpUnanswered' });
    expect(await story.events('SetUpUnanswered')).toMatchObject([{ type: 'Normal', action: 'Wait' }]);
    story.database.answer('whole');
    expect(await isSetUp(story)).toBe(true);
    expect(await story.condition('Blocked')).toMatchObject({ reason: 'NothingWaits' });
  });
});

describe('a new database is configured as the spec says', () => {
  test.each([
    [{}, 'double', 'ssd-2'],
    [{ redundancyMode: 'single', storageEngine: 'ssd-rocksdb-v1' }, 'single', 'ssd-rocksdb-v1'],
    [{ redundancyMode: 'triple', storageEngine: 'memory-radixtree' }, 'triple', 'memory-radixtree'],
  ] as const)('%j: %s, %s', async (given, mode, storageEngine) => {
    const story = await asked(engineWith(given));
    expect(await isSetUp(story)).toBe(true);
    const { stdout } = await story.database.fdbcli(['--exec', 'status json']);
    const { cluster } = z.object({ cluster: z.object({ configuration: z.unknown() }) }).parse(JSON.parse(stdout));
    expect(cluster.configuration).toMatchObject({ redundancy_mode: mode, storage_engine: storageEngine });
  });
});
