import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { DatabaseOnPods } from '../foundationdb/database-on-pods.ts';
import { OperatorProcess } from '../operator-process.ts';
import { QuickClock } from '../quick-clock.ts';

let cluster: Cluster;
let kubeconfig: string;
let database: DatabaseOnPods;
let operator: OperatorProcess;
let port: number;

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Not much quicker: fdbcli is a program that takes its time to start, and the operator does not wait for it for ever. */
const clock = new QuickClock(3);

const startOperator = async () => {
  operator = OperatorProcess.quick(clock, kubeconfig, port);
  await operator.says('leading', 60_000);
};

beforeAll(async () => {
  cluster = await startCluster({ nodes: 6, zones: 3 });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  await cluster.apply(readFileSync('deploy/webhook.yaml', 'utf8'));
  port = await freePort();
  const value = { url: `https://127.0.0.1:${port}/evict` };
  const patch = JSON.stringify([{ op: 'replace', path: '/webhooks/0/clientConfig', value }]);
  await cluster.kubectl(['patch', 'validatingwebhookconfiguration', 'drover', '--type=json', '-p', patch]);
  kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
  database = await DatabaseOnPods.start(cluster, 'orders', clock);
  await startOperator();
  const manifest = parse(readFileSync('examples/foundationdb.yaml', 'utf8'), { intAsBigInt: true });
  manifest.spec.engine.foundationdb.fdbcli = { runIn: 'Operator', path: database.fdbcli };
  // Data that went with its pods would not have to be waited for.
  for (const { volumeClaimTemplate } of manifest.spec.roles)
    if (volumeClaimTemplate !== undefined) volumeClaimTemplate.storageClassName = 'local';
  manifest.spec.drainPolicy = 'block-for-eviction';
  manifest.spec.automationOptions.waitBetweenRemovalsSeconds = 0;
  await cluster.apply(stringify(manifest));
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  await database?.stop();
  await cluster?.stop();
});

const within = { timeout: 60_000, interval: 500 };
const podsOf = (labels: string) => cluster.read(`${pods}?labelSelector=${encodeURIComponent(labels)}`);
const pods = '/api/v1/namespaces/default/pods';

async function isReady(): Promise<string | undefined> {
  const { status = {} } = await cluster.read('/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters/orders');
  const conditions: readonly { readonly type: string; readonly status: string }[] = status.conditions ?? [];
  return status.counts?.leaving === 0 ? conditions.find(({ type }) => type === 'Ready')?.status : undefined;
}

const drain = (node: string, ...flags: readonly string[]) =>
  cluster.kubectl(['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', ...flags]);

async function podOf(
  role: string,
  index = 0,
): Promise<{ readonly name: string; readonly uid: string; readonly node: string }> {
  const { items } = await podsOf(`drover.dev/cluster=orders,drover.dev/role=${role}`);
  const { metadata, spec } = items[index];
  return { name: metadata.name, uid: metadata.uid, node: spec.nodeName };
}

describe('kubectl drain', () => {
  test('waits for the data and for a coordinator to be handed off, says why and how far, and passes', async () => {
    await expect.poll(isReady, within).toBe('True');
    const coordinators = async () =>
      (await cluster.read('/api/v1/namespaces/default/configmaps/orders-connection')).data['fdb.cluster'];
    const before = await coordinators();
    const { items } = await podsOf('drover.dev/cluster=orders');
    const coordinator = items.find(({ status }: { status: { podIP: string } }) => before.includes(`${status.podIP}:`));
    const { name } = coordinator.metadata;
    const node = coordinator.spec.nodeName;
    const { code, stdout, stderr } = await drain(node, '--timeout=120s');
    expect(code).toBe(0);
    expect(stderr).toContain(
      `error when evicting pods/"${name}" -n "default" (will retry after 5s): admission webhook "evict.drover.dev" denied the request: drover: `,
    );
    expect(stdout).toContain(`node/${node} drained`);
    expect(await coordinators()).not.toContain(`${coordinator.status.podIP}:`);
    expect(database.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
    await cluster.kubectl(['uncordon', node]);
    await expect.poll(isReady, within).toBe('True');
  });

  test('nobody but Drover opens the lock, and nobody forces a pod without the permission', async () => {
    const { name } = await podOf('storage');
    await cluster.kubectl(['create', 'serviceaccount', 'deployer']);
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'deployer',
      '--clusterrole=edit',
      '--serviceaccount=default:deployer',
    ]);
    const as = ['--as', 'system:serviceaccount:default:deployer'];
    const opened = await cluster.kubectl(['label', 'pod', name, 'drover.dev/guard=open', ...as]);
    expect(opened.stderr).toContain('only Drover sets the label drover.dev/guard=open');
    const forced = await cluster.kubectl(['annotate', 'pod', name, 'drover.dev/force=x y', ...as]);
    expect(forced.stderr).toContain('only those who may override guards.drover.dev force a pod');
    expect((await cluster.kubectl(['label', 'pod', name, 'tier=gold', ...as])).code).toBe(0);
  });

  test('stays closed while the operator is dead, and ends once it is back', async () => {
    const { name, uid, node } = await podOf('storage', 1);
    operator.kill('SIGKILL');
    await operator.exitCode();
    // Nobody waits for its lease to run out.
    await cluster.kubectl(['delete', 'lease', '-n', 'drover', '--all']);
    const { code, stderr } = await drain(node, '--timeout=6s');
    expect(code).toBe(1);
    expect(stderr).toContain('violate');
    expect((await cluster.read(`${pods}/${name}`)).metadata.uid).toBe(uid);
    await startOperator();
    const again = await drain(node, '--timeout=120s');
    expect(again.code).toBe(0);
    await cluster.kubectl(['uncordon', node]);
  });
});
