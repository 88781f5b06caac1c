import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeClusterFile } from '../../../engines/foundationdb/cluster-file.ts';
import { FoundationDBEngine } from '../../../engines/foundationdb/foundationdb.ts';
import { localFdbcli } from '../../../engines/foundationdb/local-fdbcli.ts';
import { millis } from '../../../kube/clock.ts';
import { seededRandom } from '../../../kube/random.ts';
import { realClock } from '../../../kube/real-clock.ts';
import type { ProcessGroupId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { instant, seconds } from '../../../model/time.ts';
import { givenProcess } from '../testing/given-process.ts';
import { fdbOptions } from './fdb-options.ts';
import { FoundationDB } from './foundationdb.ts';
import type { ServedFdb } from './serve-fdb.ts';
import { serveFdb } from './serve-fdb.ts';

const executable = join(import.meta.dirname, 'fdbcli.ts');
const soon = { least: millis(1), most: millis(1) };
const signal = new AbortController().signal;
let folder: string;
let served: ServedFdb;
let engine: FoundationDBEngine;
let clusterFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-adapter-'));
  clusterFile = join(folder, 'fdb.cluster');
  const database = new FoundationDB(
    fdbOptions({
      clock: realClock,
      random: seededRandom(1),
      recovery: soon,
      generationDrain: soon,
      roleRemoval: millis(1),
      bytes: 1024,
    }),
  );
  served = await serveFdb((description) => (description === 'orders' ? database : undefined));
  // Both remain coordinators to the end, and the cluster file alone leads to the first one.
  database.start(givenProcess('storage-1', { address: served.address }));
  for (const id of ['storage-2', 'storage-3', 'log-2', 'log-3', 'log-4', 'stateless-1'])
    database.start(givenProcess(id));
  const coordinators = [served.address, givenProcess('storage-2').address, givenProcess('storage-3').address];
  await writeClusterFile(clusterFile, `orders:first@${coordinators.join(',')}`);
  engine = new FoundationDBEngine({
    fdbcli: localFdbcli({ command: [process.execPath, executable], clusterFile }),
    now: () => instant(realClock.now()),
    database: { redundancyMode: 'double', storageEngine: 'ssd' },
    limits: { usual: seconds(10), most: seconds(10) },
  });
});

afterEach(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

test('through the program: created, handed over, emptied, forgotten', async () => {
  await engine.bootstrap(signal);
  const target = { group: name<ProcessGroupId>('storage-3'), processes: [], addresses: [] };
  await expect.poll(() => engine.handOff(target, signal).then(() => 'done', String), { timeout: 20_000 }).toBe('done');
  expect(await readFile(clusterFile, 'utf8')).toContain(engine.connectionString);
  expect(engine.connectionString).not.toContain(givenProcess('storage-3').address);
  await expect.poll(() => engine.evacuate(target, signal).then(() => 'done', String), { timeout: 20_000 }).toBe('done');
  const drained = async () => {
    const { topology } = await engine.observe(signal);
    return topology.processes.find(({ id }) => id === 'storage-3')?.drained;
  };
  await expect.poll(drained, { timeout: 20_000 }).toBe(true);
  await engine.forget(target, signal);
  expect((await engine.observe(signal)).jobs).toEqual([]);
});

test('nobody there: the program says so, and a cluster file that is none is no answer', async () => {
  await served.close();
  await expect(engine.observe(signal)).rejects.toThrow('too few coordinators can be reached');
  await rm(clusterFile);
  await expect(engine.observe(signal)).rejects.toThrow(
    /status json.* got no answer: ERROR: Unable to read cluster file/,
  );
});
