import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationError } from '../../kube/errors.ts';
import { listen } from '../../kube/listen.ts';
import { seededRandom } from '../../kube/random.ts';
import { realClock } from '../../kube/real-clock.ts';
import { EmbeddedApiServer } from '../api-server/api-server.ts';
import { openKubectlDoor } from './kubectl-door.ts';

let folder: string;
let server: EmbeddedApiServer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-door-'));
  vi.stubEnv('TMPDIR', folder);
  server = new EmbeddedApiServer({ clock: realClock, random: seededRandom(1) });
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const options = { clock: realClock, speed: 60, port: 0 };

describe('the door for kubectl', () => {
  test('is a kubeconfig that only its owner reads, for a port of this machine, and both are gone once it is closed', async () => {
    const door = await openKubectlDoor(server, options);
    expect(readFileSync(door.kubeconfig, 'utf8')).toContain('https://127.0.0.1:');
    expect(statSync(door.kubeconfig).mode & 0o777).toBe(0o600);
    await door.close();
    expect(existsSync(dirname(door.kubeconfig))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says in one sentence that the port is taken, and leaves no folder', async () => {
    const other = createServer();
    const { port } = await listen(other, { name: 'the other one', host: '127.0.0.1', port: 0 });
    const opening = openKubectlDoor(server, { ...options, port });
    await expect(opening).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: another process has this port`);
    expect(readdirSync(folder)).toEqual([]);
    other.close();
  });

  test('says in one sentence that there is no folder for temporary files', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'nowhere'));
    const opening = openKubectlDoor(server, options);
    await expect(opening).rejects.toBeInstanceOf(ConfigurationError);
    await expect(opening).rejects.toThrow(/nowhere.*set TMPDIR to one that can be written/);
  });
});
