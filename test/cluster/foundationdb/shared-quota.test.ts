import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { OperatorProcess } from '../operator-process.ts';
import { DatabaseOnPods } from './database-on-pods.ts';

const names = ['first', 'second'] as const;
let cluster: Cluster;
let operator: OperatorProcess;
const databases: DatabaseOnPods[] = [];

const template = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63' }] } };
const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** Six pods and five claims, with one copy of everything. */
const manifest = (name: string, fdbcli: string) => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'StatefulCluster',
  metadata: { name },
  spec: {
    engine: {
      type: 'foundationdb',
      version: '7.3.63',
      foundationdb: { redundancyMode: 'single', fdbcli: { runIn: 'Operator', path: fdbcli } },
    },
    roles: [
      { name: 'storage', count: 3, template, volumeClaimTemplate },
      { name: 'log', count: 2, template, volumeClaimTemplate },
      { name: 'stateless', count: 1, template },
    ],
  },
});

/** Room for what both have and for one successor. */
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'shared' },
  spec: { hard: { pods: '13', persistentvolumeclaims: '11' } },
};

beforeAll(async () => {
  cluster = await startCluster({ nodes: 6, zones: 3, exec: true });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  const kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
  for (const name of names) databases.push(await DatabaseOnPods.start(cluster, name));
  operator = new OperatorProcess(['--kubeconfig', kubeconfig, '--health-port', '0', '--webhook-port', '0']);
  for (const [index, name] of names.entries()) {
    await cluster.apply(stringify(manifest(name, databases[index]?.fdbcli ?? '')));
  }
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  for (const database of databases) await database.stop();
  await cluster?.stop();
});

interface Status {
  readonly counts: { readonly leaving: number };
  readonly processGroups: readonly {
    readonly processGroupID: string;
    readonly role: string;
    readonly waitingFor: readonly { readonly message: string }[];
  }[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

async function statusOf(name: string): Promise<Partial<Status>> {
  return (await cluster.read(`/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters/${name}`)).status ?? {};
}

async function stateOf(name: string): Promise<object> {
  const { conditions = [], counts } = await statusOf(name);
  return { ready: conditions.find(({ type }) => type === 'Ready')?.status, leaving: counts?.leaving };
}

const settled = { ready: 'True', leaving: 0 };
const within = { timeout: 60_000, interval: 500 };

const storageOf = async (name: string) =>
  ((await statusOf(name)).processGroups ?? []).filter(({ role }) => role === 'storage');

test('two clusters on a full quota take turns, and nothing is ever refused', async () => {
  await expect.poll(() => Promise.all(names.map(stateOf)), within).toEqual(names.map(() => settled));
  await cluster.apply(stringify(quota));
  const counted = ['get', 'quota', 'shared', '-o', 'jsonpath={.status.used.pods}'];
  await expect.poll(async () => (await cluster.kubectl(counted)).stdout, within).toBe('12');
  const asked = await Promise.all(names.map(async (name) => (await storageOf(name))[0]?.processGroupID ?? ''));
  for (const [index, name] of names.entries()) {
    const body = JSON.stringify({ spec: { processGroupsToRemove: [asked[index]] } });
    await cluster.kubectl(['patch', 'statefulcluster', name, '--type=merge', '-p', body]);
  }
  const wait = async () => (await storageOf('second')).flatMap(({ waitingFor }) => waitingFor)[0]?.message;
  await expect
    .poll(wait, within)
    .toMatch(
      /exceeded quota: shared, limited: persistentvolumeclaims=11,pods=13; storage-\d+ of default\/first is ahead/,
    );
  // The second has its turn as soon as the pod and the claim of the first are gone; that it ends is shown where time costs nothing.
  const begun = async () => (await storageOf('second')).length > 3;
  await expect.poll(begun, { timeout: 60_000, interval: 200 }).toBe(true);
  const held = (await cluster.kubectl(['get', 'pods,pvc', '-o', 'name'])).stdout;
  expect(held).not.toContain(`first-${asked[0]}`);
  await expect.poll(() => stateOf('first'), within).toEqual(settled);
  expect(operator.output).not.toContain('exceeded quota');
  for (const { database } of databases) {
    expect(database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  }
});
