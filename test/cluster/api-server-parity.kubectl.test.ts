import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../src/embedded/api-server/api-server.ts';
import { type HttpFront, serveHttp } from '../../src/embedded/api-server/http-front.ts';
import { seededRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { ensureControlPlane } from '../../tools/control-plane/build.ts';
import { type ProgramResult, runProgram } from '../../tools/control-plane/run-program.ts';

let server: EmbeddedApiServer;
let front: HttpFront;
let folder: string;
let kubectlPath: string;

beforeAll(async () => {
  kubectlPath = join(await ensureControlPlane(), 'kubectl');
  folder = mkdtempSync(join(tmpdir(), 'drover-kubectl-'));
  server = new EmbeddedApiServer({ clock: realClock, random: seededRandom(1) });
  front = await serveHttp(server, { clock: realClock });
  writeFileSync(join(folder, 'kubeconfig'), front.kubeconfig('jane'), { mode: 0o600 });
  const crds = join(import.meta.dirname, '../../deploy/crds');
  for (const file of readdirSync(crds)) await succeed(['apply', '-f', join(crds, file)]);
  await succeed(['apply', '-f', '-'], world);
});

afterAll(async () => {
  server?.stop();
  await front?.close();
  rmSync(folder, { recursive: true, force: true });
});

const world = `
apiVersion: v1
kind: Namespace
metadata: {name: db}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: z1}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: db, labels: {app: db}}
spec: {nodeName: n1, containers: [{name: c, image: "busybox:1"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: lock, namespace: db}
spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
---
apiVersion: drover.dev/v1alpha1
kind: NodeDrain
metadata: {name: d}
spec: {nodes: [n1]}
`;

function kubectl(args: readonly string[], input?: string): Promise<ProgramResult> {
  const env = {
    ...process.env,
    KUBECONFIG: join(folder, 'kubeconfig'),
    KUBERC: 'off',
    KUBECACHEDIR: join(folder, 'cache'),
  };
  return runProgram(kubectlPath, args, { input, env });
}

async function succeed(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, input);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

const columns = (text: string) =>
  text
    .split('\n', 1)[0]
    ?.trim()
    .split(/\s{2,}/);

describe('the unmodified kubectl', () => {
  test.each([
    ['nodes', ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION']],
    ['pods -n db', ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']],
    ['pdb -n db', ['NAME', 'MIN AVAILABLE', 'MAX UNAVAILABLE', 'ALLOWED DISRUPTIONS', 'AGE']],
    ['nd', ['NAME', 'PHASE', 'NODES', 'DRAINED', 'PODS-LEFT', 'WAITING', 'BLOCKED', 'AGE']],
    ['ns', ['NAME', 'STATUS', 'AGE']],
  ])('get %s', async (what, expected) => {
    expect(columns(await succeed(['get', ...what.split(' ')]))).toEqual(expected);
  });

  test('finds kinds by short name, by category and in discovery', async () => {
    expect(await succeed(['get', 'drover', '-o', 'name'])).toBe('nodedrain.drover.dev/d\n');
    expect(await succeed(['api-resources', '--api-group=drover.dev', '--no-headers'])).toMatch(/evictionguards +evg/);
    expect(await succeed(['version', '-o', 'json'])).toContain('"gitVersion": "v1.36.3"');
  });

  test('describe', async () => {
    expect(await succeed(['describe', 'pod', 'p', '-n', 'db'])).toMatch(/^Name: +p\nNamespace: +db/);
    expect(await succeed(['describe', 'node', 'n1'])).toContain('node.kubernetes.io/not-ready:NoSchedule');
    expect(await succeed(['describe', 'pdb', 'lock', '-n', 'db'])).toContain('Selector:       app=db');
    expect(await succeed(['describe', 'nd', 'd'])).toContain('API Version:  drover.dev/v1alpha1');
  });

  test('cordon, uncordon, taint, label, annotate', async () => {
    expect(await succeed(['cordon', 'n1'])).toBe('node/n1 cordoned\n');
    expect(await succeed(['get', 'node', 'n1', '--no-headers'])).toContain('SchedulingDisabled');
    expect(await succeed(['uncordon', 'n1'])).toBe('node/n1 uncordoned\n');
    expect(await succeed(['taint', 'node', 'n1', 'a=b:NoExecute'])).toBe('node/n1 tainted\n');
    expect(await succeed(['taint', 'node', 'n1', 'a-'])).toBe('node/n1 untainted\n');
    expect(await succeed(['label', 'node', 'n1', 'x=y'])).toBe('node/n1 labeled\n');
    expect(await succeed(['annotate', 'node', 'n1', 'x=y'])).toBe('node/n1 annotated\n');
  });

  test('apply, on the client and on the server', async () => {
    expect(await succeed(['apply', '-f', '-'], world)).toContain('pod/p unchanged');
    expect(await succeed(['apply', '--server-side', '--force-conflicts', '-f', '-'], world)).toContain(
      'pod/p serverside-applied',
    );
    const wrong = await kubectl(['apply', '-f', '-'], world.replace('nodes: [n1]', 'nodes: [n1], nonsense: 1'));
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('unknown field "spec.nonsense"');
  });

  test('create, which speaks protobuf', async () => {
    expect(await succeed(['create', 'configmap', 'x', '-n', 'db', '--from-literal=a=b'])).toBe('configmap/x created\n');
    expect(await succeed(['get', 'cm', 'x', '-n', 'db', '-o', 'jsonpath={.data.a}'])).toBe('b');
    expect(await succeed(['create', 'secret', 'generic', 's', '-n', 'db', '--from-literal=a=b'])).toBe(
      'secret/s created\n',
    );
    expect(await succeed(['get', 'secret', 's', '-n', 'db', '-o', 'jsonpath={.data.a}'])).toBe('Yg==');
    expect(await succeed(['create', 'deployment', 'web', '--image=nginx', '--replicas=2', '-n', 'db'])).toContain(
      'created',
    );
    expect(
      await succeed([
        'get',
        'deploy',
        'web',
        '-n',
        'db',
        '-o',
        'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}',
      ]),
    ).toBe('2 nginx');
    expect(await succeed(['create', 'quota', 'q', '--hard=cpu=1500m,pods=9', '-n', 'db'])).toContain('created');
    expect(await succeed(['get', 'quota', 'q', '-n', 'db', '-o', 'jsonpath={.spec.hard.cpu}'])).toBe('1500m');
    expect(await succeed(['delete', 'quota', 'q', '-n', 'db'])).toContain('deleted');
    expect(await succeed(['scale', 'deploy/web', '--replicas=3', '-n', 'db'])).toBe('deployment.apps/web scaled\n');
  });

  test('explain', async () => {
    expect(await succeed(['explain', 'pod.spec.nodeName'])).toContain('FIELD: nodeName <string>');
    expect(await succeed(['explain', 'nd.spec'])).toContain('maxConcurrentNodes');
  });

  test('wait and watch', async () => {
    await succeed(['wait', '--for=jsonpath={.status.phase}=Pending', 'pod/p', '-n', 'db', '--timeout=5s']);
    const watching = kubectl(['get', 'cm', '-n', 'db', '--watch', '--request-timeout=3s']);
    await succeed(['create', 'configmap', 'seen', '-n', 'db']);
    expect((await watching).stdout).toMatch(/seen +0/);
  });

  test('auth can-i and whoami', async () => {
    expect(await succeed(['auth', 'can-i', 'delete', 'pods'])).toBe('yes\n');
    expect(await succeed(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('jane');
  });

  test('drain waits for the budget, and ends when the pod is gone', async () => {
    const status = ['--subresource=status', '--type=merge', '-p'];
    await succeed([
      'patch',
      'pod',
      'p',
      '-n',
      'db',
      ...status,
      '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}',
    ]);
    const budget = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    };
    await succeed(['patch', 'pdb', 'lock', '-n', 'db', ...status, JSON.stringify({ status: budget })]);
    const held = await kubectl(['drain', 'n1', '--force', '--timeout=1s']);
    expect(held.code).toBe(1);
    expect(held.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    await succeed([
      'patch',
      'pdb',
      'lock',
      '-n',
      'db',
      ...status,
      JSON.stringify({ status: { ...budget, disruptionsAllowed: 1 } }),
    ]);
    const draining = kubectl(['drain', 'n1', '--force', '--timeout=20s']);
    await succeed(['wait', '--for=jsonpath={.metadata.deletionTimestamp}', 'pod/p', '-n', 'db', '--timeout=10s']);
    // What the kubelet does when the containers have stopped.
    await succeed(['delete', 'pod', 'p', '-n', 'db', '--force', '--grace-period=0']);
    const drained = await draining;
    expect(drained.stdout).toContain('node/n1 drained');
    expect(drained.code).toBe(0);
  });

  test('delete a namespace with all that is in it', async () => {
    expect(await succeed(['delete', 'ns', 'db', '--timeout=20s'])).toContain('namespace "db" deleted');
    expect((await kubectl(['get', 'ns', 'db'])).stderr).toContain('namespaces "db" not found');
  });
});
