import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { ProcessId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { Agenda } from './agenda.ts';
import { DataMovement } from './data-movement.ts';

class MovementWorld {
  readonly clock = new VirtualClock();
  readonly movement = new DataMovement(this.clock, new Agenda(this.clock), 100);
  readonly arrived: string[] = [];

  begin(from: string, to: string, bytes: number): string {
    const key = `${from} to ${to}`;
    const done = () => this.arrived.push(`${key} at ${this.clock.monotonic() / 1000} s`);
    this.movement.begin({ key, from: name<ProcessId>(from), to: name<ProcessId>(to), bytes }, done);
    return key;
  }

  pass(count: number): Promise<void> {
    return this.clock.pass(seconds(count));
  }
}

describe('data moves at the speed of the slower end', () => {
  test('alone: as fast as a process can', async () => {
    const world = new MovementWorld();
    const key = world.begin('a', 'b', 1000);
    await world.pass(4);
    expect(world.movement.progressOf(key)).toEqual({ bytes: 1000, moved: 400, secondsLeft: 6 });
    await world.pass(6);
    expect(world.arrived).toEqual(['a to b at 10 s']);
    expect(world.clock.pending).toBe(0);
  });

  test('two from one process share it, and the one that is left speeds up', async () => {
    const world = new MovementWorld();
    world.begin('a', 'b', 1000);
    world.begin('a', 'c', 500);
    await world.pass(60);
    expect(world.arrived).toEqual(['a to c at 10 s', 'a to b at 15 s']);
  });

  test('what does not touch does not slow', async () => {
    const world = new MovementWorld();
    world.begin('a', 'b', 1000);
    world.begin('c', 'd', 1000);
    await world.pass(60);
    expect(world.arrived).toEqual(['a to b at 10 s', 'c to d at 10 s']);
  });

  test('an aborted transfer never arrives, and begun again it begins anew', async () => {
    const world = new MovementWorld();
    const key = world.begin('a', 'b', 1000);
    await world.pass(9);
    world.movement.abort(key);
    await world.pass(60);
    expect(world.arrived).toEqual([]);
    world.begin('a', 'b', 1000);
    expect(world.movement.progressOf(key)).toMatchObject({ moved: 0 });
  });

  test('begun twice it is one', async () => {
    const world = new MovementWorld();
    world.begin('a', 'b', 1000);
    await world.pass(5);
    world.begin('a', 'b', 1000);
    await world.pass(5);
    expect(world.arrived).toEqual(['a to b at 10 s']);
  });
});

const ends = fc.constantFrom('a', 'b', 'c', 'd');

test('no process is ever faster than its limit, and everything arrives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(ends, ends, fc.integer({ min: 1, max: 5000 })), { maxLength: 8 }),
      async (transfers) => {
        const world = new MovementWorld();
        const keys = new Set(
          transfers.filter(([from, to]) => from !== to).map(([from, to, bytes]) => world.begin(from, to, bytes)),
        );
        const total = transfers.reduce((sum, [, , bytes]) => sum + bytes, 0);
        for (const process of ['a', 'b', 'c', 'd']) {
          const speed = world.movement
            .touching(name<ProcessId>(process))
            .map(({ key }) => world.movement.progressOf(key))
            .reduce((sum, progress) => sum + (progress === undefined ? 0 : progress.bytes / progress.secondsLeft), 0);
          expect(speed).toBeLessThanOrEqual(100.001);
        }
        await world.pass(total / 100 + 1);
        expect(world.arrived).toHaveLength(keys.size);
      },
    ),
  );
});
