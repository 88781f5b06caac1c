import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineUnreachable } from '../../../engines/engine.ts';
import type { Topology } from '../../../model/topology.ts';
import { isUnreachable } from '../../../model/topology.ts';
import { givenAdapter } from './testing/given-adapter.ts';
import { FdbWorld } from './testing/given-fdb.ts';

const signal = new AbortController().signal;

interface Event {
  readonly what:
    | 'stop'
    | 'start'
    | 'move'
    | 'isolate'
    | 'rejoin'
    | 'lose disk'
    | 'exclude'
    | 'exclude address'
    | 'include'
    | 'maintenance'
    | 'coordinators'
    | 'pass';
  readonly process: string;
  readonly seconds: number;
}

const processes = [
  'storage-1',
  'storage-2',
  'storage-3',
  'storage-4',
  'storage-5',
  'log-1',
  'log-2',
  'log-3',
  'log-4',
  'stateless-1',
  'stateless-2',
  'stateless-3',
];
const event: fc.Arbitrary<Event> = fc.record({
  what: fc.oneof(
    {
      arbitrary: fc.constantFrom('stop', 'start', 'move', 'isolate', 'rejoin', 'maintenance', 'coordinators'),
      weight: 7,
    },
    { arbitrary: fc.constantFrom('lose disk', 'include', 'exclude address'), weight: 3 },
    { arbitrary: fc.constant('exclude' as const), weight: 4 },
    { arbitrary: fc.constant('pass' as const), weight: 12 },
  ),
  process: fc.constantFrom(...processes),
  seconds: fc.constantFrom(1, 5, 30, 61, 300, 3000),
});
/** A database that mostly stays up, so that drains come to their end. */
const calmEvent: fc.Arbitrary<Event> = fc.record({
  what: fc.oneof(
    { arbitrary: fc.constantFrom('stop', 'start', 'coordinators', 'include'), weight: 2 },
    { arbitrary: fc.constant('exclude' as const), weight: 4 },
    { arbitrary: fc.constant('pass' as const), weight: 8 },
  ),
  process: fc.constantFrom(...processes),
  seconds: fc.constantFrom(30, 61, 300, 3000),
});
const calmEvents = fc.array(calmEvent, { minLength: 3, maxLength: 12, size: 'max' });
const events = fc.array(event, { minLength: 5, maxLength: 30, size: 'max' });

async function happen(world: FdbWorld, { what, process, seconds }: Event): Promise<void> {
  const id = world.id(process);
  const zone = `zone-${process.slice(-1)}`;
  if (what === 'pass') return world.passSeconds(seconds);
  if (what === 'stop') world.stop(process);
  if (what === 'lose disk') world.loseDisk(process);
  if (what === 'isolate') world.database.isolate(id);
  if (what === 'rejoin') world.database.rejoin(id);
  if (what === 'exclude') world.begin(`exclude no_wait locality_instance_id:${process}`, '--timeout', '10');
  if (what === 'exclude address')
    world.begin(`exclude no_wait ${world.process(process).address.replace(/:.*/, '')}`, '--timeout', '10');
  if (what === 'include') world.begin(`include locality_instance_id:${process}`, '--timeout', '10');
  if (what === 'maintenance') world.begin(`maintenance on ${zone} 600`, '--timeout', '10');
  if (what === 'coordinators') world.begin('coordinators auto', '--timeout', '10');
  if (what === 'start' || what === 'move') {
    world.stop(process);
    const address = world.process(process).address.replace('.0.', '.1.');
    world.start(process, what === 'move' ? { address } : {});
  }
  await world.clock.settle();
}

/** The one with every fact that only the other does not know taken out. */
function asKnownTo<T extends object>(one: T, other: object): object {
  const facts = new Map(Object.entries(other));
  return Object.fromEntries(
    Object.entries(one).map(([fact, value]) => [fact, facts.get(fact) === 'unknown' ? 'unknown' : value]),
  );
}

/** The same, wherever both know. The model also knows who a dead coordinator was: the status has only its address. */
function expectSame(shipped: Topology, model: Topology): void {
  const listed = model.processes.filter(({ responds }) => responds === true);
  expect(shipped.processes.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).sort());
  for (const process of shipped.processes) {
    const twin = listed.find(({ id }) => id === process.id) ?? process;
    expect(asKnownTo(process, twin)).toEqual(asKnownTo(twin, process));
    expect(process.drained === true && twin.drained !== true).toBe(false);
  }
  expect(asKnownTo(shipped.health, model.health)).toEqual(asKnownTo(model.health, shipped.health));
  const [quorum, quorumOfModel] = [shipped.quorums[0], model.quorums[0]];
  const seats = (topology: Topology, responds: boolean) =>
    (topology.quorums[0]?.members ?? [])
      .filter((member) => member.responds === responds)
      .map(({ process }) => process)
      .sort();
  expect(seats(shipped, true)).toEqual(seats(model, true));
  // One that the model never met has no entry there.
  expect(seats(shipped, false).length).toBeGreaterThanOrEqual(seats(model, false).length);
  if (quorum?.members.length === quorumOfModel?.members.length) expect(quorum?.needed).toBe(quorumOfModel?.needed);
}

describe('whatever happens to a FoundationDB, the engine that ships sees it as it is', () => {
  test('by its status it says the same as the model says of itself, and is certain of no drain that is not', async () => {
    const mode = fc.constantFrom('single', 'double', 'triple');
    const seen = { topologies: 0, drained: 0, unreachable: 0 };
    await fc.assert(
      fc.asyncProperty(fc.record({ seed: fc.nat(), mode }), events, async (given, events) => {
        const world = await FdbWorld.up(given);
        const engine = givenAdapter(world);
        for (const event of events) {
          await happen(world, event);
          const view = world.database.topology();
          const shipped = await engine.observe(signal).catch((error: unknown) => error);
          if (isUnreachable(view)) {
            expect(shipped).toBeInstanceOf(EngineUnreachable);
            seen.unreachable += 1;
          } else {
            const { topology } = await engine.observe(signal);
            expectSame(topology, view);
            seen.topologies += 1;
            seen.drained += topology.processes.filter(({ drained }) => drained === true).length;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(seen.topologies, seen.drained, seen.unreachable)).toBeGreaterThan(20);
  });

  test('what it calls drained can lose its disk, and nothing is lost', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), calmEvents, async (seed, events) => {
        const world = await FdbWorld.up({ seed });
        const engine = givenAdapter(world);
        for (const event of events) await happen(world, event);
        const observation = await engine.observe(signal).catch(() => undefined);
        const { lost, unavailable } = world.database.truth();
        for (const { id, drained } of observation?.topology.processes ?? []) {
          if (drained !== true) continue;
          world.loseDisk(id);
          count += 1;
        }
        expect(world.database.truth()).toMatchObject({ lost, unavailable });
      }),
      { numRuns: 150 },
    );
    expect(count).toBeGreaterThan(20);
  });
});
