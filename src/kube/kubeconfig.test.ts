import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minutes } from './clock.ts';
import { inClusterConnection } from './in-cluster.ts';
import { kubeconfigConnection } from './kubeconfig.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-kubeconfig-'));
});
afterAll(() => rm(folder, { recursive: true }));

const kubeconfig = (user: string, server = 'https://127.0.0.1:6443') => `
apiVersion: v1
kind: Config
current-context: here
clusters: [{name: c, cluster: {server: "${server}", insecure-skip-tls-verify: true}}]
users: [{name: u, user: ${user}}]
contexts: [{name: here, context: {cluster: c, user: u, namespace: db}}, {name: there, context: {cluster: c, user: u}}]
`;

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

describe('a kubeconfig gives an address and credentials', () => {
  test('with a token', async () => {
    const file = await write('token', kubeconfig('{token: abc}'));
    const connection = await kubeconfigConnection(file, new VirtualClock());
    expect(connection.server.origin).toBe('https://127.0.0.1:6443');
    expect(await connection.credentials()).toMatchObject({
      headers: { authorization: 'Bearer abc' },
      tls: { rejectUnauthorized: false },
    });
  });

  test('and the namespace of the context', async () => {
    const file = await write('namespace', kubeconfig('{token: abc}'));
    expect((await kubeconfigConnection(file, new VirtualClock())).namespace).toBe('db');
    expect((await kubeconfigConnection(file, new VirtualClock(), 'there')).namespace).toBeUndefined();
  });

  test('with an exec plug-in, which is asked again when the server refuses its token', async () => {
    const counter = join(folder, 'count');
    const plugin = await write(
      'plugin',
      `#!/bin/sh\necho x >> ${counter}\nn=$(wc -l < ${counter})\necho "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"t$n\\",\\"expirationTimestamp\\":\\"2020-01-01T00:00:00Z\\"}}"\n`,
    );
    await chmod(plugin, 0o755);
    const user = `{exec: {apiVersion: client.authentication.k8s.io/v1, command: "${plugin}", interactiveMode: Never}}`;
    const connection = await kubeconfigConnection(await write('exec', kubeconfig(user)), new VirtualClock());
    const token = async (renew = false) => (await connection.credentials(renew)).headers['authorization'];
    expect([await token(), await token(), await token(true)]).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
  });

  test('of the context that was asked for', async () => {
    const file = await write('contexts', kubeconfig('{token: abc}'));
    await expect(kubeconfigConnection(file, new VirtualClock(), 'there')).resolves.toBeDefined();
    await expect(kubeconfigConnection(file, new VirtualClock(), 'nowhere')).rejects.toThrow(
      `${file} has no context nowhere; it has here, there`,
    );
  });
});

describe('a kubeconfig that is no good is one sentence', () => {
  test.each([
    ['', 'is not a kubeconfig: expected a document, but the input is empty'],
    ['kind: Config', 'is not a kubeconfig: it has no contexts'],
    ['{{{', 'is not a kubeconfig: '],
    ['just words', 'is not a kubeconfig: '],
    [kubeconfig('{token: abc}').replace('current-context: here', ''), 'has no current context'],
    [kubeconfig('{token: abc}', 'nonsense'), 'names nonsense as server, which is not a URL'],
  ])('%j', async (text, sentence) => {
    const file = await write('bad', text);
    const error = await kubeconfigConnection(file, new VirtualClock()).catch((caught: unknown) => caught);
    expect(String(error)).toContain(`${file} ${sentence}`);
    expect(error).toHaveProperty('code', 'Configuration');
    expect(String(error)).not.toContain('\n');
  });

  test('a missing file', async () => {
    const file = join(folder, 'missing');
    await expect(kubeconfigConnection(file, new VirtualClock())).rejects.toThrow(
      `cannot read the kubeconfig ${file} (ENOENT); name another with --kubeconfig`,
    );
  });

  test('an exec plug-in that does not exist', async () => {
    const user =
      '{exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, interactiveMode: Never}}';
    const file = await write('no-plugin', kubeconfig(user));
    const connection = await kubeconfigConnection(file, new VirtualClock());
    await expect(connection.credentials()).rejects.toThrow(/gives no credentials: .*no-such-plugin/);
  });
});

describe('inside a cluster', () => {
  const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };

  test('the token is read again after a minute, and at once when it was refused', async () => {
    const clock = new VirtualClock();
    await write('ca.crt', 'CA');
    await write('token', 'first\n');
    const connection = inClusterConnection(clock, env, folder);
    const token = async (renew = false) => (await connection.credentials(renew)).headers['authorization'];
    expect(await token()).toBe('Bearer first');
    await write('token', 'second');
    expect(await token()).toBe('Bearer first');
    await clock.pass(minutes(1));
    expect(await token()).toBe('Bearer second');
    await write('token', 'third');
    expect(await token(true)).toBe('Bearer third');
  });

  test('IPv6 addresses are put in brackets', () => {
    const connection = inClusterConnection(new VirtualClock(), { KUBERNETES_SERVICE_HOST: 'fd00::1' }, folder);
    expect(connection.server.href).toBe('https://[fd00::1]/');
  });

  test('outside of one it says so', () => {
    expect(() => inClusterConnection(new VirtualClock(), {}, folder)).toThrow('not inside a cluster');
  });

  test('a missing token is one sentence, and the next try may find it', async () => {
    const late = await mkdtemp(join(folder, 'late-'));
    const connection = inClusterConnection(new VirtualClock(), env, late);
    await expect(connection.credentials()).rejects.toThrow("cannot read the service account's token");
    await writeFile(join(late, 'token'), 'here');
    await writeFile(join(late, 'ca.crt'), 'CA');
    expect((await connection.credentials()).headers['authorization']).toBe('Bearer here');
  });
});
