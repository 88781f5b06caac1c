import { describe, expect, test } from 'vitest';
import { EngineRefusal, EngineSilence, WorldError } from '../model-engine.ts';
import { first, StoreWorld } from './testing/given-store.ts';

describe('the line to the client can be bad', () => {
  test('cut: unreachable since then, and verbs are not heard', async () => {
    const world = new StoreWorld();
    world.store.answer('none');
    const since = world.clock.now();
    await world.passMinutes(1);
    expect(world.store.topology()).toEqual({ unreachable: 'the store does not answer', since });
    expect(() => world.store.evacuate(world.id('db-1'))).toThrow(EngineSilence);
    world.store.answer('whole');
    expect(world.topology().processes.some(({ excluded }) => excluded === true)).toBe(false);
  });

  test('partial: some facts are unknown, and none is changed', () => {
    const world = new StoreWorld();
    const whole = world.topology();
    world.store.answer('partial');
    const partial = world.topology();
    expect(JSON.stringify(partial)).toContain('"unknown"');
    for (const [index, process] of partial.processes.entries())
      expect([whole.processes[index]?.responds, 'unknown']).toContain(process.responds);
  });
});

describe('the world can not do what no world can', () => {
  test('a process runs once, a disk serves one process', () => {
    const world = new StoreWorld();
    expect(() => world.start('db-1')).toThrow(WorldError);
    expect(() => world.start('db-9', 'disk-db-1')).toThrow('disk-db-1 is in use by db-1');
  });

  test('a process that is not there for data is not evacuated', () => {
    const world = new StoreWorld();
    expect(() => world.store.evacuate(world.id('agent-1'))).toThrow('agent-1 is no process that holds data');
  });

  test('what still has copies is not forgotten', () => {
    const world = new StoreWorld();
    expect(() => world.store.forget(world.id(first(world.inSync('s1'))))).toThrow(EngineRefusal);
  });
});
