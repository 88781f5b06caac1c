import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { makeAuthority } from '../../src/kube/certificates.ts';
import { epochMillis } from '../../src/kube/clock.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';
import { pickFreePort } from '../../tools/control-plane/free-port.ts';
import { OperatorProcess } from './operator-process.ts';

let cluster: Cluster;
let kubeconfig: string;
let folder: string;
const running: OperatorProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-operator-'));
  cluster = await startCluster({ nodes: 1 });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  await cluster.apply(readFileSync('deploy/webhook.yaml', 'utf8'));
  kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
});
const clearAway = async () => {
  for (const operator of running.splice(0)) {
    operator.kill('SIGKILL');
    await operator.exitCode();
  }
  await cluster.request('DELETE', '/apis/coordination.k8s.io/v1/namespaces/drover/leases/drover');
  await cluster.request('DELETE', '/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters');
};
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[] = []): OperatorProcess {
  const operator = new OperatorProcess([
    '--kubeconfig',
    kubeconfig,
    '--health-port',
    '0',
    '--webhook-port',
    '0',
    ...args,
  ]);
  running.push(operator);
  return operator;
}

/** One that the operator only reads: what it does with a FoundationDB is tested in its own folder. */
const applyExample = () => cluster.apply(readFileSync('examples/arangodb.yaml', 'utf8'));
const read = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

const caBundle = async () => {
  const path = 'jsonpath={.webhooks[0].clientConfig.caBundle}';
  return (await cluster.kubectl(['get', 'validatingwebhookconfiguration', 'drover', '-o', path])).stdout;
};

async function statusOf(
  name: string,
): Promise<{ observedGeneration?: number; conditions?: { type: string; message: string }[] }> {
  return (await cluster.read(`/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters/${name}`)).status ?? {};
}

describe('the operator, under its own service account on a real API server', () => {
  afterEach(clearAway);

  test('gives a StatefulCluster its observedGeneration and a condition, also after an edit, and is quiet then', async () => {
    await applyExample();
    const operator = start();
    await expect.poll(() => statusOf('graph'), { timeout: 20_000 }).toMatchObject({ observedGeneration: 1 });
    const [ready] = (await statusOf('graph')).conditions ?? [];
    expect(ready?.message).toContain('no engine for arangodb');
    const told = ['get', 'events', '--field-selector=reason=EngineNotSupported', '-o', 'jsonpath={.items[*].message}'];
    await expect
      .poll(async () => (await cluster.kubectl(told)).stdout, { timeout: 20_000 })
      .toContain('no engine for arangodb');
    expect((await read((await operator.ports()).health, '/metrics')).text).toMatch(
      /^drover_decisions_total\{cluster="default\/graph",step="refuse",reason="EngineNotSupported"\} 1$/m,
    );

    await cluster.kubectl([
      'patch',
      'statefulcluster',
      'graph',
      '--type=merge',
      '-p',
      '{"spec":{"drainPolicy":"always-allow"}}',
    ]);
    await expect.poll(() => statusOf('graph'), { timeout: 20_000 }).toMatchObject({ observedGeneration: 2 });

    const version = ['get', 'statefulcluster', 'graph', '-o', 'jsonpath={.metadata.resourceVersion}'];
    const before = (await cluster.kubectl(version)).stdout;
    const { health } = await operator.ports();
    await expect
      .poll(async () => (await read(health, '/metrics')).text, { timeout: 10_000 })
      .toContain('controller_runtime_active_workers{controller="stateful-cluster"} 0');
    expect((await cluster.kubectl(version)).stdout).toBe(before);
  });

  test('was refused nothing: least privilege is enough privilege', async () => {
    await applyExample();
    const operator = start();
    await expect.poll(() => statusOf('graph'), { timeout: 20_000 }).toMatchObject({ observedGeneration: 1 });
    await expect.poll(caBundle, { timeout: 10_000 }).not.toBe('');
    const { stdout } = await cluster.kubectl(['auth', 'can-i', '--list', '--kubeconfig', kubeconfig]);
    expect(stdout).not.toMatch(/^\*\.\*/m);
    expect(operator.output).not.toMatch(/forbidden/i);
    for (const [verb, what] of [
      ['update', 'pods'],
      ['get', 'secrets'],
      ['update', 'nodes'],
      ['delete', 'configmaps'],
      ['delete', 'statefulclusters.drover.dev'],
    ]) {
      const answer = await cluster.kubectl(['auth', 'can-i', verb ?? '', what ?? ''], { kubeconfig });
      expect(`${verb} ${what}: ${answer.stdout.trim()}`).toBe(`${verb} ${what}: no`);
    }
  });

  test('serves health, readiness with its parts, and metrics under the names of controller-runtime', async () => {
    const operator = start();
    const { health } = await operator.ports();
    expect(await read(health, '/healthz')).toEqual({ status: 200, text: 'ok' });
    await expect.poll(async () => (await read(health, '/readyz')).status, { timeout: 10_000 }).toBe(200);
    expect((await read(health, '/readyz?verbose')).text).toContain('[+]statefulclusters.drover.dev ok');
    const { text } = await read(health, '/metrics');
    for (const metric of [
      'workqueue_depth',
      'rest_client_requests_total',
      'leader_election_master_status{name="drover"} 1',
    ]) {
      expect(text).toContain(metric);
    }
  });

  test('answers evictions that the real API server asks about, with a certificate that it made and made known itself', async () => {
    const port = await pickFreePort();
    const value = { url: `https://127.0.0.1:${port}/evict` };
    const patch = JSON.stringify([{ op: 'replace', path: '/webhooks/0/clientConfig', value }]);
    await cluster.kubectl(['patch', 'validatingwebhookconfiguration', 'drover', '--type=json', '-p', patch]);
    await cluster.kubectl(['delete', 'secret', 'drover-webhook', '-n', 'drover', '--ignore-not-found']);
    const operator = start(['--webhook-host', '127.0.0.1', '--webhook-port', String(port)]);
    const { health } = await operator.ports();
    await expect.poll(caBundle, { timeout: 10_000 }).not.toBe('');

    await cluster.kubectl(['create', 'namespace', 'guarded']);
    await cluster.kubectl(['label', 'namespace', 'guarded', 'drover.dev/guarded=true']);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'db-0', namespace: 'guarded' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    await cluster.apply(stringify(pod));
    await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/db-0', '-n', 'guarded', '--timeout=30s']);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'db-0', namespace: 'guarded' } };
    const { status } = await cluster.request('POST', '/api/v1/namespaces/guarded/pods/db-0/eviction', {
      body: eviction,
    });
    expect(status).toBe(201);
    expect((await read(health, '/metrics')).text).toMatch(
      /controller_runtime_webhook_requests_total\{[^}]*code="200"[^}]*\} 1/,
    );
  });

  test('stops in order within 5 s when told to, and gives the lease back', async () => {
    await applyExample();
    const operator = start();
    await expect.poll(() => statusOf('graph'), { timeout: 20_000 }).toMatchObject({ observedGeneration: 1 });
    const { code, took } = await operator.stop();
    expect(code).toBe(0);
    expect(took).toBeLessThan(5000);
    const { stdout } = await cluster.kubectl([
      'get',
      'lease',
      'drover',
      '-n',
      'drover',
      '-o',
      'jsonpath={.spec.holderIdentity}',
    ]);
    expect(stdout).toBe('');
  });

  test('one of two leads; when it is killed the other takes over and goes on', async () => {
    // As long as on a cluster it would only be longer.
    const lease = ['--lease-duration', '4'];
    const first = start(lease);
    await first.says('leading');
    const second = start(lease);
    await second.says('listening');
    expect(second.log.some(({ msg }) => msg === 'leading')).toBe(false);
    first.kill('SIGKILL');
    await applyExample();
    await second.says('leading', 40_000);
    await expect.poll(() => statusOf('graph'), { timeout: 20_000 }).toMatchObject({ observedGeneration: 1 });
  });

  test('lives through a restart of the API server', async () => {
    const operator = start();
    await operator.says('leading');
    await cluster.restart('kube-apiserver');
    await applyExample();
    await expect.poll(() => statusOf('graph'), { timeout: 60_000 }).toMatchObject({ observedGeneration: 1 });
  });
});

describe.concurrent('what only a person can mend is one line that says what to do, and exit code 1', () => {
  afterAll(clearAway);

  const kubeconfigWith = async (name: string, change: (config: ReturnType<typeof parse>) => void) => {
    const config = parse(readFileSync(kubeconfig, 'utf8'));
    change(config);
    const file = join(folder, name);
    await writeFile(file, stringify(config));
    return file;
  };
  const endsWith = async (operator: OperatorProcess) => {
    const code = await operator.exitCode();
    const spoken = operator.output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    return { code, spoken };
  };
  const run = (args: readonly string[]) =>
    endsWith(new OperatorProcess(['--health-port', '0', '--webhook-port', '0', ...args]));

  test('a kubeconfig that is not there', async () => {
    expect(await run(['--kubeconfig', '/nowhere/config'])).toEqual({
      code: 1,
      spoken: ['drover: cannot read the kubeconfig /nowhere/config (ENOENT); name another with --kubeconfig'],
    });
  });

  test('a token that is refused', async () => {
    const file = await kubeconfigWith('refused', (config) => (config.users[0].user = { token: 'expired' }));
    const { code, spoken } = await run(['--kubeconfig', file]);
    expect(code).toBe(1);
    expect(spoken).toEqual([expect.stringContaining(`does not accept the credentials in ${file}; are they expired?`)]);
  });

  test('a CA that did not sign the server', async () => {
    const now = realClock.now();
    const { certificate } = await makeAuthority('another', { notBefore: now, notAfter: epochMillis(now + 3_600_000) });
    const data = Buffer.from(certificate).toString('base64');
    const file = await kubeconfigWith(
      'unsigned',
      (config) => (config.clusters[0].cluster['certificate-authority-data'] = data),
    );
    const { code, spoken } = await run(['--kubeconfig', file]);
    expect(code).toBe(1);
    expect(spoken).toEqual([
      expect.stringMatching(/the certificate of https:.* is not signed by the CA that we were given/),
    ]);
  });

  test.each(['--health-port', '--webhook-port'])('a port that is taken: %s', async (flag) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, spoken } = await run(['--kubeconfig', kubeconfig, flag, String(port)]);
    taken.close();
    expect(code).toBe(1);
    expect(spoken).toEqual([expect.stringContaining(`${port}`)]);
    expect(spoken[0]).not.toContain(' at ');
  });

  test('a wrong flag: exit code 2', async () => {
    const { code, spoken } = await run(['--health-port', 'many']);
    expect(code).toBe(2);
    expect(spoken[0]).toContain('a port is a number from 0 to 65535');
  });
});

describe('what mends itself is waited for, aloud', () => {
  afterEach(clearAway);

  test('an API server that is down at the start', async () => {
    await cluster.kill('kube-apiserver');
    const operator = start();
    await operator.says('the API server does not answer, trying again');
    await cluster.start('kube-apiserver');
    await operator.says('leading', 60_000);
  });

  test('CRDs that are missing: not ready, and says which', async () => {
    const crd = 'statefulclusters.drover.dev';
    await cluster.kubectl(['delete', 'crd', crd]);
    const operator = start();
    const { health } = await operator.ports();
    await expect
      .poll(async () => (await read(health, '/readyz')).text, { timeout: 20_000 })
      .toContain(`[-]${crd} failed: the API server does not know ${crd}: apply deploy/crds`);
    for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
    await expect.poll(async () => (await read(health, '/readyz')).status, { timeout: 90_000, interval: 500 }).toBe(200);
  });

  test('a resource that it may not read: not ready, and says which', async () => {
    await cluster.kubectl(['create', 'serviceaccount', 'weak', '-n', 'drover']);
    await cluster.kubectl([
      'create',
      'rolebinding',
      'weak',
      '-n',
      'drover',
      '--role=drover',
      '--serviceaccount=drover:weak',
    ]);
    const weak = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'weak', seconds: 3600 });
    const operator = new OperatorProcess(['--kubeconfig', weak, '--health-port', '0', '--webhook-port', '0']);
    running.push(operator);
    const { health } = await operator.ports();
    await expect
      .poll(async () => (await read(health, '/readyz')).text, { timeout: 20_000 })
      .toContain(
        '[-]statefulclusters.drover.dev failed: not allowed to read statefulclusters.drover.dev: apply deploy/rbac.yaml',
      );
  });
});
