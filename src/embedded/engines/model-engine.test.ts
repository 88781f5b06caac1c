import { describe, expect, test } from 'vitest';
import { minutes } from '../../kube/clock.ts';
import type { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { name } from '../../model/ids.ts';
import { isUnreachable } from '../../model/topology.ts';
import { FdbWorld } from './foundationdb/testing/given-fdb.ts';
import type { EngineProcess, ModelEngine } from './model-engine.ts';
import { WorldError } from './model-engine.ts';
import { dbserver, StoreWorld } from './replicated-store/testing/given-store.ts';

interface Given {
  readonly engine: ModelEngine;
  readonly clock: VirtualClock;
  readonly member: EngineProcess;
}

const engines: readonly (readonly [string, () => Promise<Given>])[] = [
  [
    'a replicated store',
    async () => {
      const { store, clock } = new StoreWorld();
      await clock.pass(minutes(10));
      return { engine: store, clock, member: dbserver(6) };
    },
  ],
  [
    'a FoundationDB',
    async () => {
      const world = await FdbWorld.up();
      return { engine: world.database, clock: world.clock, member: world.process('storage-5') };
    },
  ],
];

describe.each(engines)('%s keeps the contract of all models', (_name, make) => {
  test('a process that runs cannot be started, nor can another one on its disk', async () => {
    const { engine, member } = await make();
    expect(() => engine.start(member)).toThrow(WorldError);
    expect(() => engine.start({ ...member, id: name('another') })).toThrow(`in use by ${member.id}`);
  });

  test('what is done twice, or to nobody, is harmless', async () => {
    const { engine, member } = await make();
    const before = JSON.stringify(engine.topology());
    engine.stop(name('nobody'));
    engine.loseDisk(name('nothing'));
    engine.isolate(name('nobody'));
    engine.rejoin(member.id);
    expect(JSON.stringify(engine.topology())).toBe(before);
    engine.stop(member.id);
    engine.stop(member.id);
    expect(engine.truth().lost).toEqual([]);
  });

  test('a process that loses its disk crashes, and can be started on it again, empty', async () => {
    const { engine, member, clock } = await make();
    engine.loseDisk(member.disk);
    const view = engine.topology();
    expect(
      isUnreachable(view) || view.processes.some(({ id, responds }) => id === member.id && responds === true),
    ).toBe(false);
    engine.start(member);
    await clock.pass(minutes(60));
    expect(engine.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  });

  test('a cut line hides everything and changes nothing', async () => {
    const { engine } = await make();
    const before = JSON.stringify(engine.topology());
    engine.answer('none');
    expect(isUnreachable(engine.topology())).toBe(true);
    engine.answer('whole');
    expect(JSON.stringify(engine.topology())).toBe(before);
  });

  test('at rest there is no timer, so that a quiet week costs nothing', async () => {
    const { clock } = await make();
    expect(clock.pending).toBe(0);
    await clock.pass(minutes(7 * 24 * 60));
  });
});
