import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { pickFreePort } from '../../../tools/control-plane/free-port.ts';
import { OperatorProcess } from '../operator-process.ts';
import { QuickClock } from '../quick-clock.ts';
import { numbersAside, unsaid } from './unsaid.ts';

let cluster: Cluster;
let operator: OperatorProcess;
let ledger: ChildProcess;

const set = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'ledger' },
  spec: {
    replicas: 3,
    serviceName: 'ledger',
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app: 'ledger' } },
    template: {
      metadata: { labels: { app: 'ledger' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'ledger' } },
          },
        ],
        containers: [{ name: 'ledger', image: 'ledger:1' }],
      },
    },
  },
};
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'ledger-drover' },
  stringData: { token: 'sesame' },
};

/** What a person would do: the CRDs, the permissions and the webhook, here by its address because nothing runs in a pod. */
async function install(port: number): Promise<string> {
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  await cluster.apply(readFileSync('deploy/webhook.yaml', 'utf8'));
  const secrets = ['--clusterrole=drover-secrets', '--serviceaccount=drover:drover'];
  await cluster.kubectl(['create', 'rolebinding', 'drover-secrets', '-n', 'default', ...secrets]);
  const value = { url: `https://127.0.0.1:${port}/evict` };
  const patch = JSON.stringify([{ op: 'replace', path: '/webhooks/0/clientConfig', value }]);
  await cluster.kubectl(['patch', 'validatingwebhookconfiguration', 'drover', '--type=json', '-p', patch]);
  return cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
}

beforeAll(async () => {
  cluster = await startCluster({ nodes: 5, zones: 3 });
  const [webhook, system] = [await pickFreePort(), await pickFreePort()];
  const kubeconfig = await install(webhook);
  ledger = spawn(process.execPath, ['examples/http-engine/server.ts'], {
    env: { ...process.env, PORT: String(system), HOST: '127.0.0.1', TOKEN: 'sesame' },
    stdio: 'ignore',
  });
  // The sample never says that a process is dead or new: what was let go counts for a minute, which is a long time in a test.
  operator = OperatorProcess.quick(new QuickClock(6), kubeconfig, webhook);
  await operator.says('leading', 60_000);
  const guard = parse(readFileSync('examples/http-guard.yaml', 'utf8'));
  const { port: _, ...http } = guard.spec.engine.http;
  guard.spec.engine.http = { ...http, url: `http://127.0.0.1:${system}` };
  await cluster.apply([set, secret, guard].map((object) => stringify(object)).join('---\n'));
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  ledger?.kill('SIGKILL');
  await cluster?.stop();
});

const within = { timeout: 40_000, interval: 250 };
const guard = () => cluster.read('/apis/drover.dev/v1alpha1/namespaces/default/evictionguards/ledger');

async function conditions(): Promise<Readonly<Record<string, string>>> {
  const { status = {} } = await guard();
  const found: readonly { type: string; status: string; reason: string }[] = status.conditions ?? [];
  return Object.fromEntries(found.map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));
}
const isWell = { Locked: 'True BudgetsInPlace', Healthy: 'True AllResponding', Blocked: 'False NothingWaits' };

interface Placed {
  readonly uid: string;
  readonly node: string;
}
async function pod(name: string): Promise<Placed> {
  const { metadata, spec } = await cluster.read(`/api/v1/namespaces/default/pods/${name}`);
  return { uid: metadata.uid, node: spec.nodeName };
}
const drain = (node: string, ...flags: readonly string[]) =>
  cluster.kubectl(['drain', node, '--ignore-daemonsets', ...flags]);
/** As the disruption controller does two minutes after a deletion that was announced and did not come. */
const forgetDisruption = (name: string) => {
  const conditions = [{ type: 'DisruptionTarget', status: 'False', reason: null, message: null }];
  const patch = JSON.stringify({ status: { conditions } });
  return cluster.kubectl(['patch', 'pod', name, '--subresource=status', '-p', patch]);
};
const change = (spec: object) =>
  cluster.kubectl(['patch', 'evg', 'ledger', '--type=merge', '-p', JSON.stringify({ spec })]);
const bindings = async (): Promise<number> =>
  (
    await cluster.read(
      '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?labelSelector=drover.dev/guard-uid',
    )
  ).items.length;

describe('an EvictionGuard of a StatefulSet', () => {
  test('locks the pods and tells the state at a glance', async () => {
    await expect.poll(conditions, within).toEqual(isWell);
    const { stdout } = await cluster.kubectl(['get', 'evictionguards']);
    expect(stdout.replaceAll(/ {2,}/g, '  ')).toMatch(
      /^NAME  ENGINE  LOCKED  HEALTHY  PODS  LEAVING  WAITING  BLOCKED  AGE\nledger  http  True  True  3  0  0  NothingWaits  \d+s\n$/,
    );
  });

  test('kubectl drain waits for the hand-off, passes, and does not chase the pod that comes after', async () => {
    const before = await pod('ledger-0');
    await expect
      .poll(async () => (await drain(before.node, '--dry-run=server')).stderr, within)
      .not.toContain('began anew');
    const { code, stdout, stderr } = await drain(before.node, '--timeout=60s');
    expect(code).toBe(0);
    expect(stderr).toContain('denied the request: drover: ledger-0 stays: it leads 1 unit, first unit s1');
    expect(stdout).toContain(`node/${before.node} drained`);
    expect(unsaid('guard-pods', 'kubectl drain', `${stdout}${stderr}`, numbersAside)).toEqual([]);
    await expect.poll(async () => (await pod('ledger-0')).node, within).not.toBe(before.node);
    await cluster.kubectl(['uncordon', before.node]);
    await expect.poll(conditions, within).toEqual(isWell);
  });

  test('kubectl drain waits until the data is elsewhere where the policy asks for that', async () => {
    await change({ drainPolicy: 'block-for-eviction' });
    const { node, uid } = await pod('ledger-2');
    const { code, stderr } = await drain(node, '--timeout=60s');
    expect(code).toBe(0);
    expect(stderr).toContain('denied the request: drover: ledger-2 stays: 1 copy must move away first, next unit s2');
    await expect.poll(async () => (await pod('ledger-2')).uid, within).not.toBe(uid);
    await cluster.kubectl(['uncordon', node]);
    await change({ drainPolicy: 'block-if-contains-last-replica' });
    await expect.poll(conditions, within).toEqual(isWell);
  });

  test('guardDeletes refuses a plain delete, and does what a taint wanted', async () => {
    await change({ guardDeletes: true });
    await expect.poll(bindings, within).toBe(1);
    const { node, uid } = await pod('ledger-1');
    await expect
      .poll(
        async () => (await cluster.kubectl(['delete', 'pod', 'ledger-1', '--wait=false', '--dry-run=server'])).stderr,
        within,
      )
      .toContain(`drover: pod default/ledger-1 on ${node} is guarded; evict it instead`);
    const refused = await cluster.kubectl(['delete', 'pod', 'ledger-1', '--wait=false']);
    expect(refused.code).toBe(1);
    expect(unsaid('guard-pods', 'kubectl delete pod', refused.stderr, numbersAside)).toEqual([]);
    expect((await pod('ledger-1')).uid).toBe(uid);
    const grants = async () => (await guard()).status.grants ?? [];
    await expect.poll(grants, { ...within, timeout: 90_000 }).toEqual([]);
    const asks = async () => (await guard()).status.asks;
    const ask = { pod: 'ledger-1', uid, source: 'Taint', by: 'DeletionByTaintManager' };
    // Nothing is let go while the engine says nothing, so that Kubernetes has the time to forget what it wanted.
    ledger.kill('SIGSTOP');
    await cluster.kubectl(['taint', 'node', node, 'example.com/broken=:NoExecute']);
    await expect.poll(asks, within).toContainEqual(expect.objectContaining(ask));
    await forgetDisruption('ledger-1');
    ledger.kill('SIGCONT');
    await expect.poll(async () => (await pod('ledger-1')).node, within).not.toBe(node);
    expect(await asks()).toContainEqual(expect.objectContaining({ ...ask, letGoAt: expect.any(String) }));
    await cluster.kubectl(['taint', 'node', node, 'example.com/broken-']);
  });

  test('nothing is left behind by a guard that is deleted', async () => {
    await cluster.kubectl(['delete', 'evg', 'ledger', '--timeout=30s']);
    expect(await bindings()).toBe(0);
    expect((await cluster.read('/apis/policy/v1/namespaces/default/poddisruptionbudgets')).items).toEqual([]);
    await expect
      .poll(
        async () => (await cluster.read('/api/v1/namespaces/default')).metadata.labels['drover.dev/guarded'],
        within,
      )
      .toBeUndefined();
    // The API server takes up to a second to notice that a policy is not bound any more.
    const freed = async () => (await cluster.kubectl(['delete', 'pod', 'ledger-1', '--wait=false'])).code;
    await expect.poll(freed, within).toBe(0);
  });
});
