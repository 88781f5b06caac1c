import { describe, expect, test } from 'vitest';
import { textAt } from '../api-server/json.ts';
import { storedAs } from '../cluster/resources.ts';
import { OperatedWorld } from './operated-world.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';

/** A run of "replace two of five, one without an IP": how it ends. */
interface End {
  readonly storage: readonly string[];
  readonly nextNumber: number;
  readonly pods: readonly string[];
  readonly claims: readonly string[];
  /** What the engine still leaves alone: also of what is gone. */
  readonly exclusions: readonly string[];
  readonly truth: object;
}

/** When the operator dies: at which write, counted from the moment that people asked. */
interface Death {
  readonly write: number;
  readonly landed: boolean;
}

/**
 * Two of five storage servers are to be replaced, one of which has a pod that finds no place, so that nobody knows its address but the record. The
 * operator dies at the write that is named, and is started again a few seconds later.
 */
async function replaceTwo(death?: Death): Promise<{ end: End; writes: number; deaths: number }> {
  // Ten minutes after a recovery the engine may be told to include again; here they pass in ten seconds.
  const world = new OperatedWorld({ database: { recoveryAgesBy: 60 } });
  try {
    await world.begin();
    await world.create(key, foundationdb);
    await world.until(() => world.isAtRest(key), 300);
    await world.pass(30);
    const [first = '', second = ''] = await storageOf(world);
    await world.change(key, { buggify: { noSchedule: [first] } });
    await world.until(() => isWithoutIP(world, first), 120);
    expect(isWithoutIP(world, first)).toBe(true);
    const before = world.writes.length;
    if (death !== undefined) world.killAtWrite(before + death.write, death.landed);
    await world.change(key, { processGroupsToRemove: [first, second] });
    const deaths = await passWithRestarts(world, 1800);
    return { end: await endOf(world), writes: world.writes.length - before, deaths };
  } finally {
    await world.end();
  }
}

const storageOf = async (world: OperatedWorld): Promise<readonly string[]> =>
  (await world.status(key)).processGroups.flatMap((row) => (row.role === 'storage' ? [row.processGroupID] : []));

function isWithoutIP(world: OperatedWorld, id: string): boolean {
  const pod = world.pods('db').find(({ name }) => name === `orders-${id}`);
  return pod?.phase === 'Pending' && textAt(pod.object, 'status', 'podIP') === '';
}

/** Until all has been as it should be for two minutes, or the time is up. Whoever runs the operator starts it again when it is gone: so often. */
async function passWithRestarts(world: OperatedWorld, time: number): Promise<number> {
  let deaths = 0;
  for (let waited = 0, rested = 0; waited < time && rested < 120; waited += 30) {
    await world.pass(30);
    rested = (await world.isAtRest(key)) ? rested + 30 : 0;
    if (!world.isDead) continue;
    deaths += 1;
    await world.killOperator();
    await world.pass(10);
    world.startOperator();
  }
  return deaths;
}

const namesOf = ({ cluster }: OperatedWorld, kind: string): readonly string[] =>
  Array.from(cluster.world.store.collection(kind).entries('db'), ({ object }) => textAt(object, 'metadata', 'name'));

async function endOf(world: OperatedWorld): Promise<End> {
  return {
    storage: await storageOf(world),
    nextNumber: (await world.status(key)).nextProcessGroupNumber,
    pods: namesOf(world, storedAs.pods),
    claims: namesOf(world, storedAs.claims),
    exclusions: world.database(key).parts().state.exclusions.list('excluded'),
    truth: world.database(key).truth(),
  };
}

const undisturbed = await replaceTwo();

describe('the operator is killed at every single write of replacing two of five, one without an IP', () => {
  test('undisturbed, two others are there instead, and nothing else is left of the two', () => {
    const { end, writes } = undisturbed;
    expect(end.storage).toEqual(['storage-12', 'storage-13', 'storage-14', 'storage-8', 'storage-9']);
    expect(end).toMatchObject({ nextNumber: 15, exclusions: [], truth: { lost: [], brokenQuorums: [] } });
    expect(end.pods).toHaveLength(12);
    expect(end.claims).toHaveLength(9);
    expect(writes).toBeGreaterThan(10);
  });

  // Done and not done in turn; both at every write with DROVER_ALL_DEATHS.
  const isAll = process.env['DROVER_ALL_DEATHS'] !== undefined;
  const deaths = Array.from({ length: undisturbed.writes }, (_, index) => [
    { write: index + 1, landed: index % 2 === 0 },
    ...(isAll ? [{ write: index + 1, landed: index % 2 !== 0 }] : []),
  ]).flat();

  test.each(deaths)('write $write, done: $landed: it ends in the same way', async (death) => {
    const { end, deaths } = await replaceTwo(death);
    expect(deaths).toBe(1);
    expect(end).toEqual(undisturbed.end);
  });
});
