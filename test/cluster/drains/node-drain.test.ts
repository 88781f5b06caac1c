import { globSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { OperatorProcess } from '../operator-process.ts';

let cluster: Cluster;
let operator: OperatorProcess;
const within = { timeout: 40_000, interval: 200 };

beforeAll(async () => {
  cluster = await startCluster({ nodes: 4, zones: 2 });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  const kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
  operator = new OperatorProcess(['--kubeconfig', kubeconfig, '--health-port', '0', '--webhook-port', '0']);
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  await cluster?.stop();
});

/** `Draining`, then a line for each node and each pod that waits. */
async function says(name: string): Promise<readonly string[]> {
  const { status } = await cluster.read(`/apis/drover.dev/v1alpha1/nodedrains/${name}`);
  interface Row {
    readonly name: string;
    readonly phase: string;
    readonly waiting?: readonly { readonly pod: string; readonly reasons: readonly { readonly code: string }[] }[];
  }
  const rows: readonly Row[] = status?.nodes ?? [];
  return [
    status?.phase,
    ...rows.flatMap((row) => [
      `${row.name} ${row.phase}`,
      ...(row.waiting ?? []).map(({ pod, reasons }) => `  ${pod} ${reasons[0]?.code}`),
    ]),
  ];
}

const drain = (name: string, spec: object) =>
  cluster.apply(JSON.stringify({ apiVersion: 'drover.dev/v1alpha1', kind: 'NodeDrain', metadata: { name }, spec }));

const isCordoned = async (node: string) => (await cluster.read(`/api/v1/nodes/${node}`)).spec.unschedulable === true;

const sets = '/apis/apps/v1/namespaces/default';

async function podsOn(node: string): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3D${node}`;
  const { items } = await cluster.read(path);
  return items.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name);
}

/** Pods of a ReplicaSet, all on one node: it is pinned there until the drain makes it go elsewhere. */
async function replicas(name: string, node: string, count: number, spec: object = {}): Promise<void> {
  const containers = [{ name: 'main', image: 'web:1' }];
  const prefers = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] };
  const affinity = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchExpressions: [prefers] } }],
    },
  };
  await cluster.apply(
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name },
      spec: {
        replicas: count,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { affinity, terminationGracePeriodSeconds: 1, containers, ...spec },
        },
      },
    }),
  );
  await expect
    .poll(async () => (await cluster.read(`${sets}/replicasets/${name}`)).status.readyReplicas, within)
    .toBe(count);
}

const budget = (name: string, minAvailable: number) =>
  cluster.apply(
    JSON.stringify({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable, selector: { matchLabels: { app: name } } },
    }),
  );

afterEach(async () => {
  await cluster.kubectl(['delete', 'nodedrains', '--all']);
  await cluster.kubectl(['delete', 'rs,pdb,ds,pods', '--all', '--grace-period=0', '--force']);
  await cluster.kubectl(['uncordon', 'n1', 'n2', 'n3', 'n4']);
});

describe('a NodeDrain on a real API server', () => {
  test('takes off what may go, leaves DaemonSets and mirror pods, and the node cordoned', async () => {
    await replicas('web', 'n1', 5);
    const containers = [{ name: 'main', image: 'agent:1' }];
    const template = { metadata: { labels: { app: 'agent' } }, spec: { containers } };
    await cluster.apply(
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'agent' },
        spec: { selector: { matchLabels: { app: 'agent' } }, template },
      }),
    );
    await expect.poll(async () => (await cluster.read(`${sets}/daemonsets/agent`)).status.numberReady, within).toBe(4);
    const annotations = { 'kubernetes.io/config.mirror': 'a-file' };
    const mirror = { metadata: { name: 'static-n1', annotations }, spec: { nodeName: 'n1', containers } };
    await cluster.apply(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...mirror }));
    await drain('upgrade', { nodes: ['n1'] });
    await expect.poll(() => says('upgrade'), within).toEqual(['Completed', 'n1 Drained']);
    expect(await podsOn('n1')).toEqual([expect.stringContaining('agent'), 'static-n1']);
    expect(await isCordoned('n1')).toBe(true);
    const { stdout } = await cluster.kubectl(['get', 'nodedrains']);
    expect(stdout).toMatch(/upgrade +Completed +1 +1 +0 +0 +NothingWaits/);
  });

  test('does not touch a node with data that would be lost, and says what lets it go', async () => {
    await replicas('cache', 'n1', 1, { volumes: [{ name: 'scratch', emptyDir: {} }] });
    await drain('upgrade', { nodes: ['n1'] });
    await expect
      .poll(() => says('upgrade'), within)
      .toEqual(['Pending', 'n1 Pending', expect.stringMatching(/default\/cache-\w+ EmptyDirPod/)]);
    expect(await isCordoned('n1')).toBe(false);
    const patch = JSON.stringify({ spec: { pods: { deleteEmptyDirData: true } } });
    await cluster.kubectl(['patch', 'nodedrain', 'upgrade', '--type=merge', '-p', patch]);
    await expect.poll(() => says('upgrade'), within).toEqual(['Completed', 'n1 Drained']);
  });

  test('waits for a budget in its words, and goes on when it allows it', async () => {
    await replicas('web', 'n1', 2);
    await budget('web', 2);
    await drain('upgrade', { nodes: ['n1'] });
    await expect
      .poll(() => says('upgrade'), within)
      .toEqual([
        'Draining',
        'n1 Draining',
        expect.stringMatching(/default\/web-\w+ BudgetHolds/),
        expect.stringMatching(/default\/web-\w+ BudgetHolds/),
      ]);
    const { stdout } = await cluster.kubectl(['get', 'nodedrain', 'upgrade', '-o', 'wide']);
    expect(stdout).toContain('The disruption budget web needs 2 healthy pods and has 2 currently');
    await budget('web', 1);
    await expect.poll(() => says('upgrade'), within).toEqual(['Completed', 'n1 Drained']);
  });

  test('is taken back by deleting it: only what it cordoned is uncordoned', async () => {
    await replicas('web', 'n1', 1);
    await budget('web', 1);
    await cluster.kubectl(['cordon', 'n2']);
    await drain('upgrade', { nodes: ['n1', 'n2'], maxConcurrentNodes: 2 });
    await expect.poll(() => isCordoned('n1'), within).toBe(true);
    await cluster.kubectl(['delete', 'nodedrain', 'upgrade', '--timeout=20s']);
    expect(await isCordoned('n1')).toBe(false);
    expect(await isCordoned('n2')).toBe(true);
    expect(await podsOn('n1')).toHaveLength(1);
  });

  test('the examples do what they say', async () => {
    await cluster.kubectl(['label', 'node', 'n3', 'n4', 'pool=blue', '--overwrite']);
    await replicas('web', 'n3', 2);
    await cluster.apply(readFileSync('examples/node-drain.yaml', 'utf8'));
    await cluster.apply(readFileSync('examples/node-drain-pool.yaml', 'utf8'));
    await expect.poll(() => says('kernel-update'), within).toEqual(['Completed', 'n1 Drained', 'n2 Drained']);
    // Nothing can run anywhere while all nodes but those of the pool are cordoned, and the pool is given back.
    await expect.poll(() => says('pool-blue'), within).toEqual(['Completed', 'n3 Drained', 'n4 Drained']);
    await expect.poll(async () => [await isCordoned('n3'), await isCordoned('n4')], within).toEqual([false, false]);
    expect([await isCordoned('n1'), await isCordoned('n2')]).toEqual([true, true]);
  });

  test('110 pods of one node leave in seconds', async () => {
    await cluster.addNodes([{ name: 'big', zone: 'z1', capacity: { pods: '250' } }]);
    await cluster.kubectl(['cordon', 'n1', 'n2', 'n3', 'n4']);
    await replicas('many', 'big', 110);
    await cluster.kubectl(['uncordon', 'n1', 'n2', 'n3', 'n4']);
    expect(await podsOn('big')).toHaveLength(110);
    const started = performance.now();
    await drain('upgrade', { nodes: ['big'] });
    await expect.poll(() => says('upgrade'), { ...within, interval: 50 }).toEqual(['Completed', 'big Drained']);
    console.log(`  110 pods drained in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    await cluster.kubectl(['delete', 'node', 'big']);
  });
});
