import { describe, expect, test } from 'vitest';
import { OperatedWorld } from './operated-world.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';

/** A run of "replace two of five, one without an IP": how it ends, and what was written on the way. */
interface End {
  readonly storage: readonly string[];
  readonly pods: number;
  readonly excluded: readonly string[];
  readonly lost: number;
  readonly broken: number;
}

/**
 * Two of five storage servers are to be replaced, one of them on a node that is dead, so that nobody knows its address but the record. The operator
 * dies at the write that is named, counted from the moment that people asked, and is started again a few seconds later.
 */
async function replaceTwo(death?: {
  readonly write: number;
  readonly landed: boolean;
}): Promise<End & { writes: number }> {
  const world = new OperatedWorld();
  try {
    await world.begin();
    await world.create(key, foundationdb);
    await world.until(() => world.isAtRest(key), 300);
    await world.pass(700);
    const rows = (await world.status(key)).processGroups.filter(({ role }) => role === 'storage');
    const [first, second] = rows;
    world.cluster.killNode(first?.nodeName ?? '');
    await world.pass(120);
    const before = world.writes.length;
    if (death !== undefined) world.killAtWrite(before + death.write, death.landed);
    await world.change(key, { processGroupsToRemove: [first?.processGroupID, second?.processGroupID] });
    await passWithRestarts(world, 1020);
    world.cluster.reviveNode(first?.nodeName ?? '');
    await passWithRestarts(world, 900, () => world.isAtRest(key));
    await world.pass(120);
    return { ...(await endOf(world)), writes: world.writes.length - before };
  } finally {
    await world.end();
  }
}

/** Whoever runs the operator starts it again when it is gone. Ends earlier where all is over. */
async function passWithRestarts(
  world: OperatedWorld,
  time: number,
  isOver: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  for (let waited = 0; waited < time && !(await isOver()); waited += 60) {
    if (world.isDead) {
      await world.killOperator();
      await world.pass(10);
      world.startOperator();
    }
    await world.pass(60);
  }
}

async function endOf(world: OperatedWorld): Promise<End> {
  const { processGroups } = await world.status(key);
  const { lost, brokenQuorums } = world.database(key).truth();
  return {
    storage: processGroups.filter(({ role }) => role === 'storage').map(({ processGroupID }) => processGroupID),
    pods: world.pods('db').length,
    excluded: world
      .database(key)
      .whole()
      .processes.flatMap(({ id, excluded }) => (excluded === true ? [id] : [])),
    lost: lost.length,
    broken: brokenQuorums.length,
  };
}

const undisturbed = await replaceTwo();

describe('the operator is killed at every single write of replacing two of five, one without an IP', () => {
  test('undisturbed, two others are there instead', () => {
    expect(undisturbed.storage).toHaveLength(5);
    expect(undisturbed).toMatchObject({ pods: 12, excluded: [], lost: 0, broken: 0 });
    expect(undisturbed.writes).toBeGreaterThan(10);
  });

  // Done and not done in turn; both at every write with DROVER_ALL_DEATHS.
  const isAll = process.env['DROVER_ALL_DEATHS'] !== undefined;
  const deaths = Array.from({ length: undisturbed.writes }, (_, index) => [
    { write: index + 1, landed: index % 2 === 0 },
    ...(isAll ? [{ write: index + 1, landed: index % 2 !== 0 }] : []),
  ]).flat();

  test.each(deaths)('write $write, done: $landed: it ends in the same way', async (death) => {
    const { writes: _, ...end } = await replaceTwo(death);
    const { writes: __, ...wanted } = undisturbed;
    expect(end).toEqual(wanted);
  });
});
