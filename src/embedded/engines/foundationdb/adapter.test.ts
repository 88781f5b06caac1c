import { describe, expect, test } from 'vitest';
import type { Engine, Observation, Target } from '../../../engines/engine.ts';
import type { Zone } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { seconds } from '../../../model/time.ts';
import { givenAdapter } from './testing/given-adapter.ts';
import type { GivenFdb } from './testing/given-fdb.ts';
import { FdbWorld } from './testing/given-fdb.ts';

const signal = new AbortController().signal;
const target = (group: string, addresses: readonly string[] = []): Target => ({
  group: name(group),
  processes: [],
  addresses,
});

/** The engine that ships and the model, with time passing only when told. */
async function given(options: GivenFdb = {}) {
  const world = await FdbWorld.up(options);
  const engine = givenAdapter(world);
  /** `done`, or the error in words; after what time it needs, in steps of a second. */
  const settled = async (work: Promise<unknown>, withinSeconds = 0): Promise<string> => {
    const outcome: { words?: string } = {};
    void work.then(
      () => (outcome.words = 'done'),
      (error: unknown) => (outcome.words = String(error)),
    );
    await world.clock.settle();
    for (let passed = 0; passed < withinSeconds && outcome.words === undefined; passed++) await world.passSeconds(1);
    return outcome.words ?? 'still waiting';
  };
  const look = async (id: string) => {
    const seen = await engine.observe(signal);
    const process = seen.topology.processes.find((process) => process.id === id);
    const job = seen.jobs.find(({ group }) => id.startsWith(group));
    return { ...seen, process, job };
  };
  return { world, engine, settled, look };
}

describe('the engine that ships empties a storage server', () => {
  test('excluded, data moves, drained, forgotten', async () => {
    const { world, engine, settled, look } = await given();
    expect(await settled(engine.evacuate(target('storage-5'), signal))).toBe('done');
    expect(await look('storage-5')).toMatchObject({
      process: { excluded: true, drained: false },
      job: { state: 'Running', percent: 0, message: expect.stringMatching(/GiB are left on storage-5$/) },
    });
    await world.passSeconds(40);
    const { job } = await look('storage-5');
    expect(job).toMatchObject({ state: 'Running', secondsLeft: expect.any(Number) });
    expect(job?.percent).toBeGreaterThan(0);
    await world.passMinutes(30);
    expect(await look('storage-5')).toMatchObject({
      process: { excluded: true, drained: true },
      job: { state: 'Done', percent: 100 },
      topology: { health: { fullyReplicated: true, activeGenerations: 1 } },
    });
    world.stop('storage-5');
    world.loseDisk('storage-5');
    expect(await settled(engine.forget(target('storage-5'), signal))).toBe('done');
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual([]);
    expect(world.database.truth().lost).toEqual([]);
  });

  test('told twice it sends one command; told to stay it stays', async () => {
    const { world, engine, settled, look } = await given();
    await settled(engine.evacuate(target('storage-5'), signal));
    await settled(engine.evacuate(target('storage-5'), signal));
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual([
      { locality: 'locality_instance_id:storage-5' },
    ]);
    expect(await settled(engine.cancelEvacuation(target('storage-5'), signal))).toBe('done');
    expect(await look('storage-5')).toMatchObject({ process: { excluded: false, drained: false }, jobs: [] });
  });

  test('two processes of one pod: not done while one of them holds something', async () => {
    const { world, engine, settled, look } = await given({ storage: 6 });
    world.start('storage-6-2', {
      group: name('storage-6'),
      role: name('storage'),
      zone: name('zone-6'),
      address: world.process('storage-6').address.replace('4501', '4503'),
    });
    await world.passMinutes(30);
    await settled(engine.evacuate(target('storage-6'), signal));
    for (let minute = 0; minute < 30; minute++) {
      const { job, topology } = await look('storage-6');
      const twins = topology.processes.filter(({ group }) => group === 'storage-6');
      expect(twins).toHaveLength(2);
      expect(job?.state).toBe(twins.every(({ drained }) => drained === true) ? 'Done' : 'Running');
      await world.passMinutes(1);
    }
    expect((await look('storage-6')).job?.state).toBe('Done');
  });

  test('an old release is told addresses', async () => {
    const { world, engine, settled } = await given({ version: '6.3.24' });
    await settled(engine.evacuate(target('storage-5', ['10.9.9.9:4501']), signal));
    const host = world.process('storage-5').address.replace(/:.*/, '');
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual(
      [{ address: '10.9.9.9' }, { address: host }].sort((a, b) => (a.address < b.address ? -1 : 1)),
    );
    await world.passMinutes(30);
    expect((await engine.observe(signal)).jobs).toMatchObject([{ group: 'storage-5', state: 'Done' }]);
  });

  test('so many that nothing would be left is refused', async () => {
    const { world, engine, settled } = await given({ storage: 3 });
    for (const id of ['storage-1', 'storage-2']) await settled(engine.evacuate(target(id), signal));
    expect(await settled(engine.evacuate(target('storage-3'), signal))).toMatch(/^EngineRefused: .*below 10%/);
    expect((await world.status()).cluster.configuration.excluded_servers).toHaveLength(2);
  });
});

describe('what is gone is never taken for drained', () => {
  test('a storage server that crashed: excluded by its locality and address, the job runs and is never done', async () => {
    const { world, engine, settled, look } = await given();
    world.stop('storage-5');
    await world.passMinutes(5);
    expect(await settled(engine.evacuate(target('storage-5', [world.process('storage-5').address]), signal))).toBe(
      'done',
    );
    await world.passMinutes(60);
    const seen = await look('storage-5');
    expect(seen.process).toBeUndefined();
    expect(seen.job).toMatchObject({ state: 'Running', percent: null });
    expect(seen.topology.health.fullyReplicated).toBe(true);
    expect(await settled(engine.forget(target('storage-5', [world.process('storage-5').address]), signal))).toBe(
      'done',
    );
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual([]);
  });

  test('a log that leaves: not drained while an old generation may hold something', async () => {
    const { world, engine, settled, look } = await given();
    expect(await settled(engine.evacuate(target('log-1'), signal))).toBe('done');
    for (let second = 0; second < 60; second++) {
      const { process, topology } = await look('log-1');
      if (process?.drained === true) expect(topology.health.activeGenerations).toBe(1);
      await world.passSeconds(1);
    }
    expect(await look('log-1')).toMatchObject({ process: { drained: true }, job: { state: 'Done' } });
  });
});

describe('coordinators', () => {
  const membersOf = ({ topology }: Observation) => topology.quorums[0]?.members.map(({ process }) => process).sort();

  test('are handed over before their process is drained', async () => {
    const { world, engine, settled, look } = await given();
    await settled(engine.evacuate(target('storage-1'), signal));
    await world.passMinutes(30);
    expect(await look('storage-1')).toMatchObject({ process: { drained: false } });
    expect(await settled(engine.handOff(target('storage-1'), signal), 10)).toBe('done');
    expect(membersOf(await engine.observe(signal))).toEqual(['log-4', 'storage-2', 'storage-3']);
    expect(engine.connectionString).toContain(world.process('log-4').address);
    await world.passMinutes(2);
    expect(await look('storage-1')).toMatchObject({ process: { drained: true }, job: { state: 'Done' } });
    expect(await settled(engine.handOff(target('storage-1'), signal))).toBe('done');
  });

  test('a dead one is a member by its address, and is replaced by it', async () => {
    const { world, engine, settled } = await given();
    world.stop('storage-1');
    await world.passMinutes(2);
    const { address } = world.process('storage-1');
    expect(membersOf(await engine.observe(signal))).toEqual([address, 'storage-2', 'storage-3']);
    const dead: Target = { group: name('storage-1'), processes: [name(address)], addresses: [] };
    expect(await settled(engine.handOff(dead, signal), 10)).toBe('done');
    expect(membersOf(await engine.observe(signal))).toEqual(['log-1', 'storage-2', 'storage-3']);
  });
});

describe('a database that does not answer', () => {
  test('wedged in the middle of a command: nobody knows, and it ends by the time limit', async () => {
    const { world, engine, settled } = await given();
    const work = engine.evacuate(target('storage-5'), signal);
    world.database.answer('none');
    expect(await settled(work, 100)).toMatch(/^EngineUnreachable: /);
  });

  test('a verb while it recovers sends nothing', async () => {
    const { world, engine, settled } = await given();
    world.stop('log-1');
    const health = (await engine.observe(signal)).topology.health;
    expect(health).toMatchObject({ available: false, fullyReplicated: 'unknown' });
    expect(await settled(engine.evacuate(target('storage-5'), signal))).toContain('the database is not available');
    await world.passMinutes(1);
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual([]);
  });

  test.each`
    what                 | happens                                                      | words
    ${'the line is cut'} | ${(world: FdbWorld) => world.database.answer('none')}        | ${'too few coordinators can be reached: 3 of 3'}
    ${'half an answer'}  | ${(world: FdbWorld) => world.database.answer('partial')}     | ${'the status is not whole'}
    ${'no quorum'}       | ${(world: FdbWorld) => world.stop('storage-1', 'storage-2')} | ${'too few coordinators can be reached: 2 of 3'}
  `('$what: $words', async ({ happens, words }) => {
    const { world, engine, settled } = await given();
    happens(world);
    expect(await settled(engine.observe(signal))).toContain(`EngineUnreachable: ${words}`);
  });
});

describe('maintenance and the first steps', () => {
  test('maintenance of one zone, on and off', async () => {
    const { world, engine, settled } = await given();
    const window = (zone: string) => ({ zone: name<Zone>(zone), time: seconds(600) });
    expect(await settled(engine.maintenance(window('zone-1'), signal))).toBe('done');
    await world.passSeconds(100);
    expect((await engine.observe(signal)).topology.health.maintenance).toEqual({
      zone: 'zone-1',
      until: world.clock.now() + 500_000,
    });
    expect(await settled(engine.maintenance(window('zone-2'), signal))).toMatch(/^EngineRefused: zone zone-1 is under/);
    expect(await settled(engine.maintenance(null, signal))).toBe('done');
    expect((await engine.observe(signal)).topology.health.maintenance).toBe('off');
  });

  test('a database is created once', async () => {
    const world = new FdbWorld();
    const engine: Engine = givenAdapter(world);
    await expect(engine.observe(signal)).rejects.toThrow('no database was created yet');
    await engine.bootstrap?.(signal);
    await world.passMinutes(1);
    await engine.bootstrap?.(signal);
    expect((await engine.observe(signal)).topology.health).toMatchObject({ available: true, fullyReplicated: true });
    expect((await world.status()).cluster.recovery_state.active_generations).toBe(1);
  });
});
