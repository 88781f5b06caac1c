import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnreachable } from '../../../model/topology.ts';
import { FdbWorld, gibibyte } from './testing/given-fdb.ts';

/** Something that happens to one of the processes, a command, or time. */
type Event =
  | {
      readonly what: 'stop' | 'start' | 'move' | 'isolate' | 'rejoin' | 'lose disk' | 'exclude' | 'include';
      readonly process: string;
    }
  | { readonly what: 'maintenance'; readonly process: string }
  | { readonly what: 'coordinators' }
  | { readonly what: 'pass'; readonly seconds: number };

const zones = [1, 2, 3, 4, 5];
const processes = [
  ...zones.map((number) => `storage-${number}`),
  ...[1, 2, 3, 4].map((number) => `log-${number}`),
  ...[1, 2, 3].map((number) => `stateless-${number}`),
];

type OfProcess = Extract<Event, { readonly process: string }>['what'];
const ofProcess = (...what: readonly OfProcess[]): fc.Arbitrary<Event> =>
  fc.record({ what: fc.constantFrom(...what), process: fc.constantFrom(...processes) });
const time: fc.Arbitrary<Event> = fc.record({
  what: fc.constant('pass' as const),
  seconds: fc.constantFrom(1, 5, 30, 61, 300, 3000),
});
const coordinators: fc.Arbitrary<Event> = fc.constant({ what: 'coordinators' as const });
const harmless = fc.oneof(
  ofProcess('stop', 'start', 'move', 'isolate', 'rejoin', 'exclude', 'include', 'maintenance'),
  coordinators,
);
const withLosses = fc.array(
  fc.oneof({ arbitrary: harmless, weight: 6 }, ofProcess('lose disk'), { arbitrary: time, weight: 7 }),
  { maxLength: 30 },
);
const withoutLosses = fc.array(fc.oneof(harmless, time), { maxLength: 30 });
const options = fc.record({ seed: fc.nat(), mode: fc.constantFrom('single', 'double', 'triple') });
const copies = { single: 1, double: 2, triple: 3 };

async function happen(world: FdbWorld, event: Event): Promise<void> {
  if (event.what === 'pass') return world.passSeconds(event.seconds);
  if (event.what === 'coordinators') return void world.begin('coordinators auto', '--timeout', '10');
  const id = world.id(event.process);
  if (event.what === 'stop') world.stop(event.process);
  if (event.what === 'lose disk') world.loseDisk(event.process);
  if (event.what === 'isolate') world.database.isolate(id);
  if (event.what === 'rejoin') world.database.rejoin(id);
  if (event.what === 'exclude') world.begin(`exclude no_wait locality_instance_id:${event.process}`, '--timeout', '10');
  if (event.what === 'include') world.begin(`include locality_instance_id:${event.process}`, '--timeout', '10');
  if (event.what === 'maintenance')
    world.begin(`maintenance on zone-${event.process.slice(-1)} 600`, '--timeout', '10');
  if (event.what === 'start' || event.what === 'move') {
    world.stop(event.process);
    // A pod that is made again has another address.
    const address = world.process(event.process).address.replace('.0.', '.1.');
    world.start(event.process, event.what === 'move' ? { address } : {});
  }
  await world.clock.settle();
}

async function run(
  given: { readonly seed: number; readonly mode: string },
  events: readonly Event[],
): Promise<FdbWorld> {
  const world = await FdbWorld.up(given);
  for (const event of events) await happen(world, event);
  return world;
}

describe('whatever happens to a FoundationDB', () => {
  test('its topology makes sense, and what is lost stays lost', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, async (given, events) => {
        const world = await FdbWorld.up(given);
        let lost = 0;
        for (const event of events) {
          await happen(world, event);
          const truth = world.database.truth();
          expect(truth.lost.length).toBeGreaterThanOrEqual(lost);
          lost = truth.lost.length;
          const view = world.database.topology();
          if (isUnreachable(view)) continue;
          const ids = view.processes.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          for (const { members, needed } of view.quorums) {
            expect(members.every(({ process }) => ids.includes(process))).toBe(true);
            expect(needed).toBeLessThanOrEqual(members.length);
          }
          expect(view.health.available).toBe(!truth.unavailable.some((unit) => unit === 'database'));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('of as many zones as it says may fail, each may: nothing is lost', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, fc.constantFrom(...zones), async (given, events, zone) => {
        const world = await run(given, events);
        // Past the time in which it claims replicas that it has not yet missed.
        await world.cli('maintenance off').catch(() => undefined);
        await world.passSeconds(61);
        const view = world.database.topology();
        const before = world.database.truth().lost.length;
        if (isUnreachable(view) || view.health.maintenance !== 'off') return;
        const { zonesThatMayFail } = view.health;
        if (zonesThatMayFail === null || zonesThatMayFail === 'unknown' || zonesThatMayFail < 1) return;
        world.loseDisk(...processes.filter((process) => process.endsWith(`-${zone}`)));
        await world.passMinutes(60);
        expect(world.database.truth().lost).toHaveLength(before);
        expect(world.database.truth().brokenQuorums).toEqual([]);
        // Ranges that were lost before are gone, and the rest is served.
        expect(world.database.truth().unavailable).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });

  test('what is drained, with one generation of logs, holds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, async (given, events) => {
        const world = await run(given, events);
        const view = world.database.topology();
        if (isUnreachable(view) || view.health.activeGenerations !== 1) return;
        const { lost, unavailable } = world.database.truth();
        for (const { id, drained } of view.processes) if (drained === true) world.loseDisk(id);
        expect(world.database.truth()).toMatchObject({ lost, unavailable });
      }),
      { numRuns: 80 },
    );
  });

  test('without the loss of a disk nothing is lost, and once all is well it is whole again, no byte more', async () => {
    await fc.assert(
      fc.asyncProperty(options, withoutLosses, async (given, events) => {
        const world = await FdbWorld.up(given);
        for (const event of events) {
          await happen(world, event);
          expect(world.database.truth().lost).toEqual([]);
          expect(world.database.storedBytes()).toBe(24 * gibibyte * copies[given.mode]);
        }
        for (const process of processes) {
          world.database.rejoin(world.id(process));
          world.stop(process);
          world.start(process);
        }
        // Whoever excluded too many to recover from needs new ones, to be able to say so.
        for (const id of ['log-7', 'log-8', 'log-9']) world.start(id);
        await world.passMinutes(2);
        await world.cli('include all; maintenance off');
        await world.passMinutes(24 * 60);
        expect(world.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
        expect(world.topology().health).toMatchObject({ available: true, fullyReplicated: true, activeGenerations: 1 });
        expect(world.clock.pending).toBe(0);
      }),
      { numRuns: 80 },
    );
  });

  test('the same seed gives the same run to the byte, status included', async () => {
    await fc.assert(
      fc.asyncProperty(options, withLosses, async (given, events) => {
        const runs: string[] = [];
        for (let again = 0; again < 2; again++) {
          const world = await FdbWorld.up(given);
          const seen: unknown[] = [];
          for (const event of events) {
            await happen(world, event);
            seen.push((await world.cli('status json')).stdout, world.database.truth(), world.database.topology());
          }
          runs.push(JSON.stringify(seen));
        }
        expect(runs[0]).toBe(runs[1]);
      }),
      { numRuns: 30 },
    );
  });
});
