import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { livingParts, readRecord, recordFile, stopRecorded } from './cluster-record.ts';
import { identify, isAlive } from './process-identity.ts';

const newKubeconfig = (): string => join(mkdtempSync(join(tmpdir(), 'record-')), 'kubeconfig');

test('no record is no cluster; a damaged one says what to do', () => {
  const kubeconfig = newKubeconfig();
  expect(readRecord(kubeconfig)).toBeUndefined();
  writeFileSync(recordFile(kubeconfig), '{}');
  expect(() => readRecord(kubeconfig)).toThrow('end the processes named in it and remove it');
});

test('what is recorded is ended, and a process that got a recorded id later is spared', async () => {
  const kubeconfig = newKubeconfig();
  const dataFolder = `${kubeconfig}.data`;
  mkdirSync(dataFolder);
  const [ours, foreign] = [spawn('sleep', ['60']), spawn('sleep', ['60'])];
  const [ourIdentity, foreignIdentity] = [identify(ours.pid ?? 0), identify(foreign.pid ?? 0)];
  if (ourIdentity === undefined || foreignIdentity === undefined) throw new Error('sleep does not run');
  const record = {
    url: 'https://127.0.0.1:20001',
    dataFolder,
    processes: [
      { part: 'etcd' as const, ...ourIdentity },
      { part: 'kwok' as const, pid: foreignIdentity.pid, startedAt: 'earlier' },
    ],
  };
  writeFileSync(recordFile(kubeconfig), JSON.stringify(record));
  expect(readRecord(kubeconfig)).toEqual(record);
  expect(livingParts(record)).toEqual(['etcd']);

  await stopRecorded(kubeconfig, record);
  expect([isAlive(ourIdentity), isAlive(foreignIdentity)]).toEqual([false, true]);
  expect([existsSync(dataFolder), existsSync(recordFile(kubeconfig))]).toEqual([false, false]);

  const exit = once(foreign, 'exit');
  foreign.kill();
  await exit;
});
