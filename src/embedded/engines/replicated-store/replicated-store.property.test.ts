import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mebibyte, StoreWorld } from './testing/given-store.ts';

/** Something that happens to one of the processes, or time. */
type Event =
  | { readonly what: 'stop' | 'start' | 'isolate' | 'rejoin' | 'lose disk' | 'new disk'; readonly process: string }
  | { readonly what: 'evacuate' | 'cancel' | 'hand off'; readonly process: string }
  | { readonly what: 'pass'; readonly seconds: number };

const shards = ['s1', 's2', 's3', 's4'];
const data = ['db-1', 'db-2', 'db-3', 'db-4', 'db-5', 'db-6'];
const processes = [...data, 'agent-1', 'agent-2', 'agent-3'];

const ofProcess = (...what: readonly Exclude<Event['what'], 'pass'>[]): fc.Arbitrary<Event> =>
  fc.record({ what: fc.constantFrom(...what), process: fc.constantFrom(...processes) });
const time: fc.Arbitrary<Event> = fc.record({
  what: fc.constant('pass' as const),
  seconds: fc.constantFrom(1, 5, 30, 120, 700, 5000),
});
const harmless = ofProcess('stop', 'start', 'isolate', 'rejoin', 'evacuate', 'cancel', 'hand off');
const withLosses = fc.array(
  fc.oneof({ arbitrary: harmless, weight: 3 }, ofProcess('lose disk', 'new disk'), { arbitrary: time, weight: 4 }),
  { maxLength: 40 },
);
const withoutLosses = fc.array(fc.oneof(harmless, time), { maxLength: 40 });
const options = fc.record({
  seed: fc.nat(),
  replicationFactor: fc.integer({ min: 1, max: 3 }),
  writeConcern: fc.integer({ min: 1, max: 2 }),
  jobFailures: fc.constantFrom(0, 0.5),
  // So much that catching up takes about as long as making a copy.
  writtenBytesPerSecond: fc.constant(20 * mebibyte),
});

let newDisks = 0;

async function happen(world: StoreWorld, event: Event): Promise<void> {
  if (event.what === 'pass') return world.passSeconds(event.seconds);
  const id = world.id(event.process);
  const server = world.topology().processes.find((process) => process.id === id);
  if (event.what === 'stop') world.stop(event.process);
  if (event.what === 'lose disk') world.loseDisk(event.process);
  if (event.what === 'isolate') world.store.isolate(id);
  if (event.what === 'rejoin') world.store.rejoin(id);
  if (event.what === 'evacuate' && server?.role === 'dbserver') world.store.evacuate(id);
  if (event.what === 'cancel') world.store.cancelEvacuation(id);
  if (event.what === 'hand off') world.store.handOff(id);
  if (event.what === 'start' || event.what === 'new disk') {
    world.stop(event.process);
    world.start(event.process, event.what === 'new disk' ? `new-disk-${++newDisks}` : undefined);
  }
}

/** What holds at every moment. */
function expectSense(world: StoreWorld): void {
  const { processes: known, units, quorums } = world.topology();
  const { lost, unavailable } = world.truth();
  const ids = new Set(known.map(({ id }) => id));
  for (const { id, replicas } of units) {
    expect(new Set(replicas.map(({ process }) => process)).size).toBe(replicas.length);
    expect(replicas.every(({ process }) => ids.has(process))).toBe(true);
    const gone = lost.some(({ unit }) => unit === id);
    const inSync = replicas.filter((replica) => replica.inSync === true);
    if (gone) expect(inSync).toEqual([]);
    expect(replicas.some(({ leader }) => leader)).toBe(!gone && !unavailable.includes(id));
  }
  for (const { members, leader } of quorums)
    if (leader !== null) expect(members).toContainEqual({ process: leader, responds: true, inSync: true });
}

describe('whatever happens to a replicated store', () => {
  test('its topology makes sense, and what is lost stays lost', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, async (given, events) => {
        const world = new StoreWorld({ shards: 4, ...given });
        let lost = 0;
        for (const event of events) {
          await happen(world, event);
          expectSense(world);
          expect(world.truth().lost.length).toBeGreaterThanOrEqual(lost);
          lost = world.truth().lost.length;
        }
      }),
      { numRuns: 150 },
    );
  });

  test('a unit with a copy in sync elsewhere survives the loss of any process', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, fc.constantFrom(...data), async (given, events, victim) => {
        const world = new StoreWorld({ shards: 4, ...given });
        for (const event of events) await happen(world, event);
        const safe = world
          .topology()
          .units.filter(({ replicas }) =>
            replicas.some(
              ({ process, state, inSync, doomed }) =>
                process !== victim && state === 'healthy' && inSync === true && !doomed,
            ),
          )
          .map(({ id }) => id);
        world.loseDisk(victim);
        await world.passMinutes(60);
        for (const { unit } of world.truth().lost) expect(safe).not.toContain(unit);
      }),
      { numRuns: 150 },
    );
  });

  test('what is drained holds nothing: losing it loses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(options, withoutLosses, async (given, events) => {
        const world = new StoreWorld({ shards: 4, ...given });
        for (const event of events) await happen(world, event);
        const before = world.store.storedBytes();
        for (const { id, drained } of world.topology().processes) if (drained === true) world.loseDisk(id);
        expect(world.truth().lost).toEqual([]);
        expect(world.store.storedBytes()).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  test('without the loss of a disk nothing is lost, and once all is well everything is whole again, no byte more', async () => {
    await fc.assert(
      fc.asyncProperty(options, withoutLosses, async (given, events) => {
        const world = new StoreWorld({ shards: 4, ...given });
        for (const event of events) {
          await happen(world, event);
          expect(world.truth().lost).toEqual([]);
        }
        for (const process of processes) {
          world.store.rejoin(world.id(process));
          world.store.cancelEvacuation(world.id(process));
          world.stop(process);
          world.start(process);
        }
        await world.passMinutes(24 * 60);
        expect(world.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
        for (const shard of shards) expect(world.copies(shard)).toHaveLength(given.replicationFactor);
        expect(world.store.storedBytes()).toBe(4 * 600 * mebibyte * given.replicationFactor);
        expect(world.clock.pending).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  test('the same seed gives the same run to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, async (given, events) => {
        const runs: string[] = [];
        for (let run = 0; run < 2; run++) {
          newDisks = 0;
          const world = new StoreWorld({ shards: 4, ...given });
          const seen: unknown[] = [];
          for (const event of events) {
            await happen(world, event);
            seen.push(world.topology(), world.truth(), world.jobs());
          }
          runs.push(JSON.stringify(seen));
        }
        expect(runs[0]).toBe(runs[1]);
      }),
      { numRuns: 40 },
    );
  });
});
