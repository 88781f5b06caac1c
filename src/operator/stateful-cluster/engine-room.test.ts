import { expect, test } from 'vitest';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { name } from '../../model/ids.ts';
import { someCluster } from '../testing/some-cluster.ts';
import { EngineRoom } from './engine-room.ts';
import type { EngineSurroundings } from './engine-source.ts';

test('an engine is made once, and asks about its cluster as it is on record now', async () => {
  const given: EngineSurroundings[] = [];
  const engine = { observe: () => Promise.reject(new Error('not asked')) };
  const source = (_: unknown, surroundings: EngineSurroundings) => {
    given.push(surroundings);
    return engine;
  };
  const room = new EngineRoom({ foundationdb: source }, new VirtualClock());
  const { cluster } = someCluster();
  const at = (group: string): EngineSurroundings => ({
    connectionString: () => `${group}@10.0.0.1:4501`,
    groupAt: () => name(group),
    pods: () => [],
    leaves: (one) => one === group,
    run: (pod) => Promise.resolve({ exitCode: 0, stdout: `${group} in ${pod}`, stderr: '' }),
  });
  room.engineOf(cluster, at('storage-1'));
  room.engineOf(cluster, at('storage-2'));
  const [surroundings] = given;
  expect(given).toHaveLength(1);
  expect(surroundings?.connectionString()).toBe('storage-2@10.0.0.1:4501');
  expect(surroundings?.groupAt('10.0.0.1')).toBe('storage-2');
  expect(surroundings?.leaves(name('storage-1'))).toBe(false);
  expect(surroundings?.leaves(name('storage-2'))).toBe(true);
  const program = { container: 'c', command: ['x'], mostBytes: 1, signal: new AbortController().signal } as const;
  expect(await surroundings?.run('p', program)).toMatchObject({ stdout: 'storage-2 in p' });
});
