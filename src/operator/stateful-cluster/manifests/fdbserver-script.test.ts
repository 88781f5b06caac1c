import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fdbserverScript, portOf } from './fdbserver-script.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'drover-fdbserver-'));
  mkdirSync(join(home, 'bin'));
  // Says how it was started, then runs until it is stopped. One that is to end does so once all have started.
  const fake = `#!/bin/bash
echo "$@" >> '${home}/started'
case "$*" in *":\${FAKE_ENDS:-none} "*)
  until [ "$(wc -l < '${home}/started')" -ge "$DROVER_PROCESSES_PER_POD" ]; do sleep 0.05; done
  exit 3 ;;
esac
exec sleep 60
`;
  writeFileSync(join(home, 'bin/fdbserver'), fake);
  chmodSync(join(home, 'bin/fdbserver'), 0o755);
  writeFileSync(join(home, 'fdb.cluster'), 'orders:abc@10.0.0.1:4501\n');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const script = () => fdbserverScript({ data: join(home, 'data'), logs: join(home, 'logs') });

const environment = (more: Record<string, string> = {}) => ({
  PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
  DROVER_PROCESSES_PER_POD: '1',
  FDB_CLUSTER_FILE: join(home, 'fdb.cluster'),
  FDB_INSTANCE_ID: 'storage-7',
  FDB_PROCESS_CLASS: 'storage',
  FDB_ZONE_ID: 'zone-a',
  FDB_MACHINE_ID: 'n1',
  FDB_POD_IP: '10.1.0.7',
  FDB_PUBLIC_IP: '10.96.0.7',
  ...more,
});

const run = (more: Record<string, string> = {}) =>
  spawnSync('/bin/bash', ['-c', script()], {
    env: environment({ FAKE_ENDS: '4501', ...more }),
    encoding: 'utf8',
    // With a socket for its input, bash takes itself for a remote shell and reads its owner's settings.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });

function isAlive(processGroup: number): boolean {
  try {
    return process.kill(processGroup, 0);
  } catch {
    return false;
  }
}

const started = () => readFileSync(join(home, 'started'), 'utf8').trim().split('\n').toSorted();

describe('a pod of FoundationDB', () => {
  test('with one process runs it in the place of the shell', () => {
    expect(run().status).toBe(3);
    expect(started()).toEqual([
      `--class storage --cluster_file ${home}/data/fdb.cluster --public_address 10.96.0.7:4501 --listen_address 10.1.0.7:4501 ` +
        `--datadir ${home}/data --logdir ${home}/logs --locality_instance_id storage-7 --locality_zoneid zone-a --locality_machineid n1`,
    ]);
    expect(readFileSync(join(home, 'data/fdb.cluster'), 'utf8')).toBe('orders:abc@10.0.0.1:4501\n');
  });

  test('writes addresses of IPv6 in brackets', () => {
    run({ FDB_POD_IP: 'fd00::7', FDB_PUBLIC_IP: 'fd00::8' });
    expect(started()[0]).toContain('--public_address [fd00::8]:4501 --listen_address [fd00::7]:4501 ');
  });

  describe('with several processes', () => {
    const several = (more: Record<string, string> = {}) => {
      // A group of its own, so that what a container's end would take along can be stopped here, too.
      const pod = spawn('/bin/bash', ['-c', script()], {
        env: environment({ DROVER_PROCESSES_PER_POD: '2', ...more }),
        detached: true,
        stdio: 'ignore',
      });
      return { pod, ended: once(pod, 'exit') };
    };

    test('gives each its port, directory and process id, and ends when one of them does', async () => {
      const { pod, ended } = several({ FAKE_ENDS: '4503' });
      try {
        expect(await ended).toEqual([3, null]);
        expect(
          started().map((line) =>
            /^.*?(--public_address .*) --logdir .*(--locality_process_id .*)/.exec(line)?.slice(1),
          ),
        ).toEqual([
          [
            `--public_address 10.96.0.7:4501 --listen_address 10.1.0.7:4501 --datadir ${home}/data/1`,
            '--locality_process_id storage-7-1',
          ],
          [
            `--public_address 10.96.0.7:4503 --listen_address 10.1.0.7:4503 --datadir ${home}/data/2`,
            '--locality_process_id storage-7-2',
          ],
        ]);
      } finally {
        process.kill(-(pod.pid ?? Number.NaN), 'SIGKILL');
      }
    });

    test('is stopped by SIGTERM, and stops them', async () => {
      const { pod, ended } = several();
      await expect.poll(() => started().length, { timeout: 15_000 }).toBe(2);
      pod.kill('SIGTERM');
      await ended;
      await expect.poll(() => isAlive(-(pod.pid ?? Number.NaN)), { timeout: 15_000 }).toBe(false);
    });
  });

  test('waits for a connection string', async () => {
    writeFileSync(join(home, 'fdb.cluster'), '');
    const pod = spawn('/bin/bash', ['-c', script()], { env: environment({ FAKE_ENDS: '4501' }) });
    const ended = once(pod, 'exit');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(pod.exitCode).toBeNull();
    writeFileSync(join(home, 'fdb.cluster'), 'orders:abc@10.0.0.2:4501\n');
    expect(await ended).toEqual([3, null]);
    expect(readFileSync(join(home, 'data/fdb.cluster'), 'utf8')).toContain('10.0.0.2');
  });

  test.each(['FDB_ZONE_ID', 'FDB_PUBLIC_IP', 'FDB_POD_IP'])('does not start without %s, and says so', (name) => {
    const { status, stderr } = run({ [name]: '' });
    expect([status, stderr.trim()]).toEqual([
      1,
      `${name} is empty, so fdbserver is not started. See spec.faultDomain and spec.publicIPSource of the StatefulCluster.`,
    ]);
  });

  test('starts nothing with an empty monitor configuration', async () => {
    const pod = spawn('/bin/bash', ['-c', script()], { env: environment({ DROVER_EMPTY_MONITOR_CONF: 'true' }) });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(pod.exitCode).toBeNull();
    expect(started).toThrow('ENOENT');
    pod.kill('SIGKILL');
  });
});

test('Kubernetes finds nothing to replace in the script', () => {
  expect(script()).not.toMatch(/\$\$|\$\([A-Za-z_.-]/);
});

test('ports go up by two', () => {
  expect([1, 2, 3].map(portOf)).toEqual([4501, 4503, 4505]);
});
