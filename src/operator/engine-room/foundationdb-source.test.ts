import { describe, expect, test } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { fixture } from '../../engines/foundationdb/testing/fixture.ts';
import { ScriptedFdbcli } from '../../engines/foundationdb/testing/scripted-fdbcli.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { seconds } from '../../model/time.ts';
import { someCluster } from '../testing/some-cluster.ts';
import type { EngineSubject, EngineSurroundings } from './engine-source.ts';
import { foundationdbSource } from './foundationdb-source.ts';

type Given = StatefulClusterSpecInput['engine']['foundationdb'];

const surroundings: EngineSurroundings = {
  connectionString: () => 'orders:1@10.0.0.1:4501',
  groupAt: () => undefined,
  leaves: () => false,
  pods: () => [],
  run: () => Promise.reject(new Error('not asked')),
};
const { signal } = new AbortController();

const clusterWith = (given: Given): EngineSubject =>
  someCluster({ spec: { engine: { type: 'foundationdb', version: '7.3.63', foundationdb: given } } }).cluster;

/** The engine of a database that does not exist until it is told to, and the fdbcli that it is told by. */
function engineOf(subject: EngineSubject) {
  const fdbcli = new ScriptedFdbcli(fixture('never-created-7.3'), fixture('healthy-7.3'));
  return { engine: foundationdbSource(new VirtualClock(), () => fdbcli.run)(subject, surroundings), fdbcli };
}

describe('a new database is configured as the spec says', () => {
  test.each<[Given, string]>([
    [undefined, 'configure new double ssd-2'],
    [{}, 'configure new double ssd-2'],
    [{ redundancyMode: 'single' }, 'configure new single ssd-2'],
    [{ storageEngine: 'ssd-rocksdb-v1' }, 'configure new double ssd-rocksdb-v1'],
    [{ redundancyMode: 'triple', storageEngine: 'memory-radixtree' }, 'configure new triple memory-radixtree'],
  ])('%j: %s', async (given, command) => {
    const { engine, fdbcli } = engineOf(clusterWith(given));
    await engine.bootstrap?.(signal);
    expect(fdbcli.commands).toEqual([command]);
  });
});

test.each([
  [undefined, 40, 10],
  [20, 40, 20],
  [90, 90, 90],
])('with fdbcli.timeoutSeconds %s, configure may take %i s and maintenance %i s', async (given, configure, usual) => {
  const fdbcli = given === undefined ? {} : { timeoutSeconds: given };
  const { engine, fdbcli: told } = engineOf(clusterWith({ fdbcli }));
  await engine.bootstrap?.(signal);
  // The script does not play what comes of it, which the engine finds odd.
  const window = { zone: name<Zone>('zone-1'), time: seconds(60) };
  await expect(engine.maintenance?.(window, signal)).rejects.toThrow('fdbcli took the maintenance');
  expect(told.limits).toEqual([configure, usual]);
});
