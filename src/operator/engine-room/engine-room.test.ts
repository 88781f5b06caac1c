import { expect, test } from 'vitest';
import { EngineUnreachable } from '../../engines/engine.ts';
import { seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { name } from '../../model/ids.ts';
import { givenTopology } from '../../model/testing/given.ts';
import { someCluster } from '../testing/some-cluster.ts';
import { EngineRoom } from './engine-room.ts';
import type { EngineSurroundings, Surroundings } from './engine-source.ts';

const nowhere: Surroundings = {
  connectionString: () => null,
  groupAt: () => undefined,
  pods: () => [],
  run: () => Promise.reject(new Error('not asked')),
};

test('an engine is made once, and asks about its cluster as it is on record now', async () => {
  const given: EngineSurroundings[] = [];
  const engine = { observe: () => Promise.reject(new Error('not asked')) };
  const source = (_: unknown, surroundings: EngineSurroundings) => {
    given.push(surroundings);
    return engine;
  };
  const room = new EngineRoom({ foundationdb: source }, new VirtualClock());
  const { cluster } = someCluster();
  const at = (group: string): Surroundings => ({
    connectionString: () => `${group}@10.0.0.1:4501`,
    groupAt: () => name(group),
    pods: () => [],
    run: (pod) => Promise.resolve({ exitCode: 0, stdout: `${group} in ${pod}`, stderr: '' }),
  });
  room.engineOf(cluster, at('storage-1'));
  room.engineOf(cluster, at('storage-2'));
  const [surroundings] = given;
  expect(given).toHaveLength(1);
  expect(surroundings?.connectionString()).toBe('storage-2@10.0.0.1:4501');
  expect(surroundings?.groupAt('10.0.0.1')).toBe('storage-2');
  const program = { container: 'c', command: ['x'], mostBytes: 1, signal: new AbortController().signal } as const;
  expect(await surroundings?.run('p', program)).toMatchObject({ stdout: 'storage-2 in p' });
});

test('an engine knows who goes by the last decision, however often its cluster is looked at before the next', () => {
  const given: EngineSurroundings[] = [];
  const source = (_: unknown, surroundings: EngineSurroundings) => {
    given.push(surroundings);
    return { observe: () => Promise.reject(new Error('not asked')) };
  };
  const room = new EngineRoom({ foundationdb: source }, new VirtualClock());
  const { cluster } = someCluster();
  const leaving = () => ['storage-1', 'storage-2'].filter((group) => given[0]?.leaves(name(group)));
  room.engineOf(cluster, nowhere);
  expect(leaving()).toEqual([]);
  room.spare(cluster.key, new Set([name('storage-1')]));
  room.engineOf(cluster, nowhere);
  expect(leaving()).toEqual(['storage-1']);
  room.spare(cluster.key, new Set([name('storage-2')]));
  expect(leaving()).toEqual(['storage-2']);
});

test('an engine that says nothing is asked more and more seldom, and as often as before once it has answered', async () => {
  const answers: ('silent' | 'heard')[] = ['silent', 'silent', 'silent', 'silent', 'silent', 'heard', 'silent'];
  const health = givenTopology();
  const engine = {
    observe: () =>
      answers.shift() === 'heard'
        ? Promise.resolve({ topology: health, jobs: [] })
        : Promise.reject(new EngineUnreachable('nobody there')),
  };
  const clock = new VirtualClock();
  const room = new EngineRoom({ foundationdb: () => engine }, clock);
  const { cluster } = someCluster();
  room.engineOf(cluster, nowhere);
  const waits: number[] = [];
  while (answers.length > 0) {
    await room.listen(cluster.key, new AbortController().signal);
    waits.push(room.patienceWith(cluster.key).withSilence / 1000);
    await clock.pass(seconds(5));
  }
  expect(waits).toEqual([5, 10, 20, 30, 30, 5, 5]);
});

test('what an engine said a moment ago is taken for what it says now, and it is asked again when the moment is over', async () => {
  let asked = 0;
  const engine = { observe: () => Promise.resolve({ topology: givenTopology(), jobs: [], asked: ++asked }) };
  const clock = new VirtualClock();
  const room = new EngineRoom({ foundationdb: () => engine }, clock);
  const { cluster } = someCluster();
  room.engineOf(cluster, nowhere);
  const looks: unknown[] = [];
  for (const later of [0, 0.5, 1, 0.5, 2]) {
    await clock.pass(seconds(later));
    await room.listen(cluster.key, new AbortController().signal);
    looks.push([asked, room.patienceWith(cluster.key).withRepeated]);
  }
  expect(looks).toEqual([
    [1, undefined],
    [1, 1500],
    [1, 500],
    [2, undefined],
    [3, undefined],
  ]);
});
