import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { requestApi } from '../../tools/control-plane/api-request.ts';
import { type Cluster, quickNodeTimings, startCluster } from '../../tools/control-plane/cluster.ts';
import { readRecord } from '../../tools/control-plane/cluster-record.ts';
import { isAlive } from '../../tools/control-plane/process-identity.ts';
import { runProgram } from '../../tools/control-plane/run-program.ts';

const tools = join(import.meta.dirname, '../../tools/control-plane');
const fake = (knob: string): string => `fake.drover.dev/${knob}`;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({
    nodes: 6,
    zones: 3,
    nodeTimings: quickNodeTimings,
    users: [{ name: 'jane', groups: ['operations'] }],
  });
});

afterAll(async () => {
  await cluster?.stop();
});

const podSchema = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional() }),
  spec: z.object({ nodeName: z.string().optional() }),
  status: z.object({
    phase: z.string(),
    podIP: z.string().optional(),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    containerStatuses: z
      .array(z.object({ state: z.record(z.string(), z.object({ reason: z.string().optional() })) }))
      .default([]),
  }),
});

/** `Running ready`, `Pending unready ContainerCreating`, `gone`. */
async function describePod(name: string, namespace = 'default'): Promise<string> {
  const { status, body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
  if (status === 404) return 'gone';
  const pod = podSchema.parse(body);
  const ready = pod.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const reasons = pod.status.containerStatuses.flatMap(({ state }) => Object.values(state).map(({ reason }) => reason));
  const leaving = pod.metadata.deletionTimestamp === undefined ? [] : ['terminating'];
  return [
    pod.status.phase,
    ready ? 'ready' : 'unready',
    ...reasons.filter((reason) => reason !== undefined),
    ...leaving,
  ].join(' ');
}

async function createPod(name: string, annotations: Record<string, string> = {}, spec: object = {}): Promise<void> {
  await cluster.create('/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations },
    spec: { containers: [{ name: 'main', image: 'example' }], ...spec },
  });
}

async function patch(path: string, body: object): Promise<void> {
  const answer = await cluster.request('PATCH', path, { body, contentType: 'application/merge-patch+json' });
  expect(answer.status).toBe(200);
}

const annotatePod = (name: string, annotations: Record<string, string | null>): Promise<void> =>
  patch(`/api/v1/namespaces/default/pods/${name}`, { metadata: { annotations } });

const deletePod = (name: string, seconds: number): Promise<unknown> =>
  cluster.request('DELETE', `/api/v1/namespaces/default/pods/${name}`, { body: { gracePeriodSeconds: seconds } });

const becomes = (name: string, expected: string, seconds = 5): Promise<void> =>
  vi.waitFor(async () => expect(await describePod(name)).toBe(expected), { timeout: seconds * 1000, interval: 50 });

const nodeSchema = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.object({ taints: z.array(z.object({ key: z.string(), effect: z.string() })).default([]) }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
});

async function describeNode(name: string): Promise<string> {
  const node = nodeSchema.parse((await cluster.request('GET', `/api/v1/nodes/${name}`)).body);
  const ready = node.status.conditions.find(({ type }) => type === 'Ready')?.status;
  return [`Ready=${ready}`, ...node.spec.taints.map(({ key, effect }) => `${key.split('/')[1]}:${effect}`).sort()].join(
    ' ',
  );
}

const nodeBecomes = (name: string, expected: string): Promise<void> =>
  vi.waitFor(async () => expect(await describeNode(name)).toBe(expected), { timeout: 20_000, interval: 100 });

describe('a started cluster', () => {
  test('has its nodes Ready, open for pods and dealt over the zones', async () => {
    const { body } = await cluster.request('GET', '/api/v1/nodes');
    const nodes = z.object({ items: z.array(nodeSchema) }).parse(body).items;
    expect(nodes.map(({ metadata }) => `${metadata.name} ${metadata.labels['topology.kubernetes.io/zone']}`)).toEqual([
      'n1 z1',
      'n2 z2',
      'n3 z3',
      'n4 z1',
      'n5 z2',
      'n6 z3',
    ]);
    for (const { metadata } of nodes) expect(await describeNode(metadata.name)).toBe('Ready=True');
  });

  test('calls itself by the version that it is, in server and kubectl', async () => {
    const { stdout, stderr, code } = await cluster.kubectl(['version']);
    expect(stdout).toMatch(/Client Version: v1\.36\.3\n(.*\n)*Server Version: v1\.36\.3/);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('runs a pod within two seconds, with an address, after its init containers', async () => {
    await createPod('plain', {}, { initContainers: [{ name: 'first', image: 'example' }] });
    await becomes('plain', 'Running ready', 2);
    const { body } = await cluster.request('GET', '/api/v1/namespaces/default/pods/plain');
    expect(podSchema.parse(body).status.podIP).toMatch(/^10\.12[89]\./);
    await deletePod('plain', 30);
    await becomes('plain', 'gone', 2);
  });

  test('logs in users and service accounts as who they are, and nobody who trusts another authority', async () => {
    const whoami = async (kubeconfig: string): Promise<string> =>
      (await cluster.kubectl(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'], { kubeconfig })).stdout;
    expect(await whoami(cluster.kubeconfig)).toBe('admin');
    expect(await whoami(await cluster.kubeconfigFor({ user: 'jane' }))).toBe('jane');
    const account = { namespace: 'default', serviceAccount: 'default' };
    expect(await whoami(await cluster.kubeconfigFor(account))).toBe('system:serviceaccount:default:default');
    const untrusting = { url: cluster.url, authority: '', user: 'admin', token: cluster.adminToken };
    await expect(requestApi(untrusting, 'GET', '/readyz')).rejects.toThrow(/certificate/);
    await expect(cluster.kubeconfigFor({ user: 'joe' })).rejects.toThrow('startCluster({ users: [...] })');
  });
});

describe('a StatefulSet with local disks is drained by stock kubectl', () => {
  test('and its pods wait for their node, where their disk is', async () => {
    await cluster.apply(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  replicas: 2
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: db}}}
      containers: [{name: main, image: example}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Gi}}}
`);
    await Promise.all([becomes('db-0', 'Running ready'), becomes('db-1', 'Running ready')]);
    const { body } = await cluster.request('GET', '/api/v1/namespaces/default/pods/db-0');
    const node = podSchema.parse(body).spec.nodeName ?? '';

    const drain = await cluster.kubectl(['drain', node, '--timeout=20s']);
    expect(drain.stdout).toContain(`pod/db-0 evicted\nnode/${node} drained`);
    expect(await describePod('db-0')).toBe('Pending unready');
    expect(await describePod('db-1')).toBe('Running ready');

    await cluster.kubectl(['uncordon', node]);
    await becomes('db-0', 'Running ready');
    await cluster.kubectl(['delete', 'statefulset,pvc', '--all', '--wait=false']);
    const volumesLeft = async (): Promise<number> =>
      z.object({ items: z.array(z.unknown()) }).parse((await cluster.request('GET', '/api/v1/persistentvolumes')).body)
        .items.length;
    await vi.waitFor(async () => expect(await volumesLeft()).toBe(0), { timeout: 10_000, interval: 100 });
  });
});

describe('a pod does what its annotations ask for', () => {
  test.each`
    knob                        | value           | expected
    ${'start-after-seconds'}    | ${'never'}      | ${'Pending unready ContainerCreating'}
    ${'ready'}                  | ${'false'}      | ${'Running unready'}
    ${'fail'}                   | ${'crash-loop'} | ${'Running unready CrashLoopBackOff'}
    ${'fail'}                   | ${'failed'}     | ${'Failed unready Error'}
    ${'complete-after-seconds'} | ${'0'}          | ${'Succeeded unready Completed'}
  `('$knob: $value makes it $expected', async ({ knob, value, expected }) => {
    const name = `knob-${knob}-${value}`;
    await createPod(name, { [fake(knob)]: value });
    await becomes(name, expected);
    await deletePod(name, 0);
  });

  test('later as well, and recovers when the annotation goes', async () => {
    await createPod('moody');
    await becomes('moody', 'Running ready');
    for (const [knob, value, expected] of [
      ['ready', 'false', 'Running unready'],
      ['fail', 'crash-loop', 'Running unready CrashLoopBackOff'],
    ] as const) {
      await annotatePod('moody', { [fake(knob)]: value });
      await becomes('moody', expected);
      await annotatePod('moody', { [fake(knob)]: null });
      await becomes('moody', 'Running ready');
    }
    await deletePod('moody', 0);
  });

  test('starts late, counted from its creation', async () => {
    await createPod('slow', { [fake('start-after-seconds')]: '2' });
    const started = Date.now();
    await becomes('slow', 'Pending unready ContainerCreating');
    await becomes('slow', 'Running ready');
    expect(Date.now() - started).toBeGreaterThan(900); // times in Kubernetes are whole seconds
    await deletePod('slow', 0);
  });

  test('has the address that it is told to have', async () => {
    await createPod('addressed', { [fake('pod-ip')]: '127.0.0.7' });
    await becomes('addressed', 'Running ready');
    const { body } = await cluster.request('GET', '/api/v1/namespaces/default/pods/addressed');
    expect(podSchema.parse(body).status.podIP).toBe('127.0.0.7');
    await deletePod('addressed', 0);
  });

  test('of a Job, ends', async () => {
    await cluster.kubectl(['create', 'job', 'once', '--image=example']);
    const { code } = await cluster.kubectl(['wait', 'job/once', '--for=condition=Complete', '--timeout=10s']);
    expect(code).toBe(0);
  });
});

describe('a deleted pod', () => {
  test('that stops slowly stops no later than its grace period ends', async () => {
    await createPod('lazy', { [fake('stop-after-seconds')]: '60' });
    await becomes('lazy', 'Running ready');
    await deletePod('lazy', 2);
    expect(await describePod('lazy')).toBe('Running ready terminating');
    await becomes('lazy', 'gone');
  });

  test('that hangs stays until it is forced', async () => {
    await createPod('stuck', { [fake('stop-after-seconds')]: 'never' });
    await becomes('stuck', 'Running ready');
    await deletePod('stuck', 1);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await describePod('stuck')).toBe('Running ready terminating');
    await deletePod('stuck', 0);
    await becomes('stuck', 'gone');
  });

  test('that a finalizer holds has stopped all the same, and goes with the finalizer', async () => {
    await createPod('held');
    await patch('/api/v1/namespaces/default/pods/held', { metadata: { finalizers: ['example.com/hold'] } });
    await becomes('held', 'Running ready');
    await deletePod('held', 30);
    await becomes('held', 'Succeeded unready Completed terminating');
    await patch('/api/v1/namespaces/default/pods/held', { metadata: { finalizers: null } });
    await becomes('held', 'gone');
  });
});

describe('a node', () => {
  test('whose kubelet dies becomes unreachable with its pods frozen, and comes back', async () => {
    await createPod('marooned', {}, { nodeName: 'n1' });
    await becomes('marooned', 'Running ready');
    await cluster.setKubelet('n1', 'dead');
    await nodeBecomes('n1', 'Ready=Unknown unreachable:NoExecute unreachable:NoSchedule');
    await deletePod('marooned', 1);
    await becomes('marooned', 'Running unready terminating');
    await cluster.setKubelet('n1', 'alive');
    await nodeBecomes('n1', 'Ready=True');
    await becomes('marooned', 'gone');
  });

  test('that says it is not ready is tainted, until it says otherwise', async () => {
    await patch('/api/v1/nodes/n2', { metadata: { annotations: { [fake('ready')]: 'false' } } });
    await nodeBecomes('n2', 'Ready=False not-ready:NoExecute not-ready:NoSchedule');
    await patch('/api/v1/nodes/n2', { metadata: { annotations: { [fake('ready')]: null } } });
    await nodeBecomes('n2', 'Ready=True');
  });

  test('can be added', async () => {
    await cluster.addNodes([{ name: 'late', zone: 'z9', labels: { disk: 'ssd' } }]);
    expect(await describeNode('late')).toBe('Ready=True');
  });
});

describe('when a part fails', () => {
  test('the API server comes back on the same port with the same data', async () => {
    const before = cluster.processes.get('kube-apiserver')?.pid;
    await cluster.kill('kube-apiserver');
    await expect(cluster.request('GET', '/readyz')).rejects.toThrow('ECONNREFUSED');
    await cluster.start('kube-apiserver');
    expect(cluster.processes.get('kube-apiserver')?.pid).not.toBe(before);
    expect((await cluster.request('GET', '/api/v1/nodes/n1')).status).toBe(200);
    await createPod('afterwards');
    await becomes('afterwards', 'Running ready', 20);
  });

  test('nobody misses a part that was killed on purpose, and it can be started again', async () => {
    await cluster.kill('kube-scheduler');
    await cluster.addNodes([{ name: 'later', zone: 'z9' }]);
    await createPod('unscheduled');
    await cluster.restart('kwok');
    expect(await describePod('unscheduled')).toBe('Pending unready');
    await cluster.start('kube-scheduler');
    await becomes('unscheduled', 'Running ready', 20);
  });

  test('etcd comes back with what was written before it was killed', async () => {
    await cluster.kill('etcd');
    await cluster.start('etcd');
    expect((await cluster.request('GET', '/api/v1/namespaces/default/pods/afterwards')).status).toBe(200);
  });

  test('a frozen etcd lets nobody write, and the write succeeds when it thaws', async () => {
    await cluster.pause('etcd');
    const write = cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'patience' } } });
    const first = await Promise.race([write, new Promise((resolve) => setTimeout(resolve, 500, 'still waiting'))]);
    expect(first).toBe('still waiting');
    await cluster.resume('etcd');
    expect((await write).status).toBe(201);
  });
});

describe('no process is left behind', () => {
  test('by stop(), which leaves a second cluster alone and may be called twice', async () => {
    const second = await startCluster({ nodes: 1, without: ['kube-scheduler'] });
    const processes = [...second.processes.values()];
    expect(processes).toHaveLength(4);
    expect(second.url).not.toBe(cluster.url);
    expect(second.caData).not.toBe(cluster.caData);
    await second.stop();
    await second.stop();
    expect(processes.filter(isAlive)).toEqual([]);
    expect(existsSync(second.dataFolder)).toBe(false);
    expect((await cluster.request('GET', '/readyz')).status).toBe(200);
  });

  test('by an owner that is killed with SIGKILL, not even a frozen one', async () => {
    const script = `
      import { startCluster } from ${JSON.stringify(join(tools, 'cluster.ts'))};
      const cluster = await startCluster({ nodes: 0, without: ['kwok', 'kube-scheduler', 'kube-controller-manager'] });
      await cluster.pause('etcd');
      console.log(JSON.stringify([...cluster.processes.values()]));
      setInterval(() => undefined, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = z.tuple([z.string()]).parse(await once(createInterface(owner.stdout), 'line'));
    const processes = z.array(z.object({ pid: z.number(), startedAt: z.string() })).parse(JSON.parse(line));
    expect(processes.filter(isAlive)).toHaveLength(2);
    owner.kill('SIGKILL');
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), { timeout: 5000, interval: 50 });
  });

  test('by "down", which may be run twice, while "up" leaves the cluster running', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-command-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const command = (...args: string[]): ReturnType<typeof runProgram> =>
      runProgram(process.execPath, [join(tools, 'cluster-command.ts'), ...args, '--kubeconfig', kubeconfig]);
    try {
      expect(await command('up', '--nodes', '2', '--zones', '2')).toMatchObject({ code: 0, stderr: '' });
      const processes = readRecord(kubeconfig)?.processes ?? [];
      expect(processes.filter(isAlive)).toHaveLength(5);
      expect((await cluster.kubectl(['get', 'nodes', '-o', 'name'], { kubeconfig })).stdout).toBe('node/n1\nnode/n2\n');
      expect(await command('up')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: a cluster is up with .*\n$/),
      });
      expect(await command('status')).toMatchObject({ code: 0 });

      expect(await command('down')).toMatchObject({ code: 0, stdout: 'Stopped 5 processes; the data is removed.\n' });
      expect(processes.filter(isAlive)).toEqual([]);
      expect(await command('down')).toMatchObject({ code: 0, stdout: `No cluster is up with ${kubeconfig}.\n` });
      expect(await command('status')).toMatchObject({ code: 1 });
    } finally {
      await command('down');
      rmSync(folder, { recursive: true });
    }
  });
});
