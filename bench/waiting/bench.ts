import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { OperatedWorld } from '../../src/embedded/operated/operated-world.ts';
import { foundationdb, key } from '../../src/embedded/operated/testing/foundationdb-spec.ts';
import { kubectlDrain } from '../../src/embedded/operated/testing/kubectl-drain.ts';

const tenMinutes = 600;
const rounds = 7;
/** What compiled code and chance may make of it, in bytes: with 40 times 10 min it is no more than with 7. */
const flat = 1.9 * 2 ** 20;

/**
 * What an hour of a drain that waits costs in requests and memory, ten minutes at a time, beside an hour in which nobody asks. The heap is that of the
 * whole world, without what the API server in it remembers of the past.
 */
export async function bench(): Promise<void> {
  console.log(
    `waiting: an operator with one database, ${rounds} times 10 min of its time, in one process with its world`,
  );
  const rest = await tell('nobody asks', (world) => world.pass(tenMinutes));
  const waiting = await tell('a drain waits', async (world, node) => {
    await kubectlDrain(world, node, { timeout: tenMinutes });
  });
  console.log(`  the hour of the drain kept ${megabytes(waiting)} more on the heap, the quiet one ${megabytes(rest)}`);
  // Of what is kept for each of its 1,900 requests, a kilobyte would be seen.
  if (waiting - rest > flat)
    throw new Error(`the hour of the drain kept over ${megabytes(flat)} more than the quiet one`);
}

const collect: () => void = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** By how much the heap grew from the end of the first ten minutes on, in bytes. */
async function tell(what: string, spend: (world: OperatedWorld, node: string) => Promise<void>): Promise<number> {
  const world = new OperatedWorld({ seed: 1, database: { bytes: 2 ** 46, recoveryAgesBy: 10 } });
  await world.begin();
  try {
    await world.create(key, { ...foundationdb, drainPolicy: 'block-for-eviction' });
    if (!(await world.until(() => world.isAtRest(key), 300))) throw new Error('the database does not come to rest');
    await world.pass(70);
    const row = (await world.status(key)).processGroups.find(({ role }) => role === 'storage');
    const heaps: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = { requests: world.requests, writes: world.writes.length };
      await spend(world, row?.nodeName ?? '');
      world.cluster.world.store.compact();
      heaps.push(heap());
      const [requests, writes] = [world.requests - before.requests, world.writes.length - before.writes];
      console.log(`  ${what}: ${requests} requests, ${writes} writes, ${megabytes(heaps.at(-1) ?? 0)} on the heap`);
    }
    return (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
  } finally {
    await world.end();
  }
}
