import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { name } from '../../../src/model/ids.ts';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { OperatorProcess } from '../operator-process.ts';
import { AuditedWrites } from './audited-writes.ts';
import { DatabaseOnPods } from './database-on-pods.ts';

let cluster: Cluster;
let kubeconfig: string;
let database: DatabaseOnPods;
let operator: OperatorProcess;

const account = { namespace: 'drover', serviceAccount: 'drover' };
const writes = new AuditedWrites(`system:serviceaccount:${account.namespace}:${account.serviceAccount}`);

const startOperator = () =>
  // Whoever comes after one that was killed waits for the end of its lease.
  new OperatorProcess([`--kubeconfig=${kubeconfig}`, '--health-port=0', '--webhook-port=0', '--lease-duration=3']);

beforeAll(async () => {
  const extraFlags = { 'kube-apiserver': writes.flags };
  cluster = await startCluster({ nodes: 6, zones: 3, exec: true, extraFlags });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  kubeconfig = await cluster.kubeconfigFor({ ...account, seconds: 3600 });
  database = await DatabaseOnPods.start(cluster);
  operator = startOperator();
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  await database?.stop();
  await cluster?.stop();
  writes.remove();
});

interface Row {
  readonly processGroupID: string;
  readonly nodeName: string | null;
  readonly conditions: readonly { readonly type: string }[];
  readonly removalTimestamp: string | null;
  readonly waitingFor: readonly { readonly message: string }[];
}

interface Status {
  readonly counts: { readonly desired: number; readonly available: number; readonly leaving: number };
  readonly health: { readonly available: boolean; readonly fullReplication: boolean };
  readonly processGroups: readonly Row[];
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

interface Orders {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly engine: { readonly foundationdb: { readonly redundancyMode: string; readonly storageEngine: string } };
  };
  readonly status?: Status;
}

const orders = (): Promise<Orders> =>
  cluster.read('/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters/orders');

const status = async (): Promise<Partial<Status>> => (await orders()).status ?? {};

const isReady = async () => {
  const { conditions = [], counts } = await status();
  const ready = conditions.find(({ type }) => type === 'Ready');
  return { ready: ready?.status, leaving: counts?.leaving, message: ready?.message };
};

const patch = (body: object) =>
  cluster.kubectl(['patch', 'statefulcluster', 'orders', '--type=merge', '-p', JSON.stringify(body)]);

const podsOfOrders = async (): Promise<readonly string[]> => {
  const path = '/api/v1/namespaces/default/pods?labelSelector=drover.dev/cluster%3Dorders';
  const { items } = await cluster.read(path);
  return items.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name).sort();
};

/** What `kubectl get statefulclusters` says of it, but for its age. */
const atAGlance = async (): Promise<readonly string[]> => {
  const { stdout } = await cluster.kubectl(['get', 'statefulclusters', 'orders', '--no-headers']);
  return stdout.trim().split(/\s+/).slice(0, -1);
};

const settled = { ready: 'True', leaving: 0 };
const within = { timeout: 60_000, interval: 500 };

describe('a FoundationDB cluster on a real API server', () => {
  test('comes up from one manifest', async () => {
    await cluster.apply(readFileSync('examples/foundationdb.yaml', 'utf8'));
    // The tests remove one after the other, and a minute between them is a minute of waiting.
    await patch({ spec: { automationOptions: { waitBetweenRemovalsSeconds: 0 } } });
    await expect.poll(isReady, within).toMatchObject(settled);
    expect(await podsOfOrders()).toHaveLength(13);
    expect(await status()).toMatchObject({
      counts: { desired: 13, available: 13 },
      health: { available: true, fullReplication: true },
    });
    expect(await atAGlance()).toEqual(['orders', 'foundationdb', 'True', '13', '0', '0', 'NothingWaits']);
  });

  test('is left alone when it is as the spec asks', async () => {
    // What came up last is still being written down.
    await expect
      .poll(async () => {
        const before = writes.all().length;
        // By itself it would look every half a minute.
        await patch({ metadata: { annotations: { note: `looked at ${before}` } } });
        await pause(6000);
        return writes.all().slice(before);
      }, within)
      .toEqual([]);
    // It was heard before.
    expect(writes.all()).toContainEqual('patch statefulclusters/status orders');
  });

  test('its database is configured as the spec asks', async () => {
    const { stdout } = await promisify(execFile)(database.fdbcli, ['--exec', 'status json']);
    const { redundancyMode, storageEngine } = (await orders()).spec.engine.foundationdb;
    expect(JSON.parse(stdout).cluster.configuration).toMatchObject({
      redundancy_mode: redundancyMode,
      storage_engine: storageEngine,
    });
    expect([redundancyMode, storageEngine]).toEqual(['double', 'ssd-2']);
  });

  test('a taint on a node is in the status within two seconds', async () => {
    const row = (await status()).processGroups?.find(({ processGroupID }) => processGroupID.startsWith('storage'));
    const node = row?.nodeName ?? '';
    await cluster.kubectl(['taint', 'node', node, 'example.com/maintenance=yes:NoSchedule']);
    const detected = async () =>
      (await status()).processGroups
        ?.filter(({ nodeName }) => nodeName === node)
        .every(({ conditions }) => conditions.some(({ type }) => type === 'NodeTaintDetected'));
    await expect.poll(detected, { timeout: 2000, interval: 100 }).toBe(true);
    await cluster.kubectl(['taint', 'node', node, 'example.com/maintenance-']);
    const cleared = async () => (await status()).processGroups?.every(({ conditions }) => conditions.length === 0);
    await expect.poll(cleared, within).toBe(true);
  });

  test('a process group is replaced: a successor, the data away, then the old one with its volume', async () => {
    const before = await podsOfOrders();
    const id = (await status()).processGroups?.find(({ processGroupID }) =>
      processGroupID.startsWith('storage'),
    )?.processGroupID;
    await patch({ spec: { processGroupsToRemove: [id] } });
    // Those that stay, the successor among them, and the one that leaves.
    await expect.poll(async () => (await atAGlance()).slice(3, 5), within).toEqual(['13', '1']);
    await expect.poll(isReady, within).toMatchObject(settled);
    const after = await podsOfOrders();
    expect(after).not.toContain(`orders-${id}`);
    expect(after).toHaveLength(before.length);
    const { stdout } = await cluster.kubectl(['get', 'pvc', '-o', 'name']);
    expect(stdout).not.toContain(`orders-${id}-data`);
    expect(database.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
    await patch({ spec: { processGroupsToRemove: [] } });
  });

  test.each([
    ['container', 'sidecar', 'container sidecar is not valid for pod <pod>'],
    ['path', '/nowhere/fdbcli', 'fdbcli could not be run in container foundationdb of a pod'],
  ])('fdbcli is looked for where the spec says: %s %s', async (field, value, message) => {
    const fdbcli = (given: string | null) =>
      patch({ spec: { engine: { foundationdb: { fdbcli: { [field]: given } } } } });
    await fdbcli(value);
    await expect.poll(isReady, within).toMatchObject({ ready: 'Unknown', message: expect.stringContaining(message) });
    await fdbcli(null);
    await expect.poll(isReady, within).toMatchObject(settled);
  });

  test('the operator, with fdbcli in its own container, is killed in the middle of a replacement, and the next one ends it', async () => {
    await patch({ spec: { engine: { foundationdb: { fdbcli: { runIn: 'Operator', path: database.fdbcli } } } } });
    const id = (await status()).processGroups?.find(({ processGroupID }) =>
      processGroupID.startsWith('log'),
    )?.processGroupID;
    await patch({ spec: { processGroupsToRemove: [id] } });
    await expect.poll(async () => (await status()).counts?.leaving, within).toBe(1);
    operator.kill('SIGKILL');
    await operator.exitCode();
    operator = startOperator();
    await expect.poll(async () => (await podsOfOrders()).includes(`orders-${id}`), within).toBe(false);
    await expect.poll(isReady, within).toMatchObject(settled);
    expect(database.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  });

  describe('what the Job of its failure detector runs', () => {
    const detectorArgs = async (): Promise<readonly string[]> => {
      const { stdout } = await cluster.kubectl([
        'get',
        'cronjob',
        'default.orders-detector',
        '-n',
        'drover',
        '-o',
        'json',
      ]);
      return JSON.parse(stdout).spec.jobTemplate.spec.template.spec.containers[0].args;
    };
    const annotation = async () => (await orders()).metadata.annotations?.['drover.dev/detected'] ?? '';
    /** As the operator's account, which is the Job's. */
    const detect = async () => {
      const args = ['src/cli/main.ts', ...(await detectorArgs()), '-o', 'json', '--kubeconfig', kubeconfig];
      return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
    };

    test.each([
      ['the operator, as it is', {}],
      ['a pod, which is the usual way', { runIn: null, path: null }],
    ])('changes nothing while nothing is missing, with fdbcli in %s', async (_, fdbcli) => {
      await patch({ spec: { engine: { foundationdb: { fdbcli } } } });
      expect(await detect()).toMatchObject({ cluster: 'default/orders', missing: [], engine: 'answers' });
      expect(await annotation()).toBe('');
    });

    test('annotates the cluster when a process is missing, and the operator looks at once', async () => {
      const group = (await status()).processGroups?.find(({ processGroupID }) =>
        processGroupID.startsWith('stateless'),
      )?.processGroupID;
      const conditions = async () =>
        (await status()).processGroups
          ?.find(({ processGroupID }) => processGroupID === group)
          ?.conditions.map(({ type }) => type);
      // People have it looked at, so that the next look by itself is half a minute away, which a busy machine does not take for one look.
      await patch({ metadata: { annotations: { note: 'looked at' } } });
      await pause(2500);
      database.database.stop(name(group ?? ''));
      const { missing, at } = await detect();
      expect(missing).toMatchObject([{ group, missing: ['MissingProcesses'] }]);
      expect(await annotation()).toBe(at);
      await expect.poll(conditions, { timeout: 15_000, interval: 200 }).toContain('MissingProcesses');
    });
  });

  test('every step was told as an event with its reason', async () => {
    const { stdout } = await cluster.kubectl(['get', 'events', '-A', '-o', 'json']);
    const notes: string[] = JSON.parse(stdout).items.map((event: { message: string }) => event.message);
    expect(notes).toContainEqual(expect.stringMatching(/^storage-\d+ is replaced: processGroupsToRemove lists it$/));
    expect(notes).toContainEqual(expect.stringMatching(/^storage-\d+ is drained: the engine confirms/));
  });
});
