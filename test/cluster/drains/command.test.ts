import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDrover } from '../../../src/cli/testing/run-drover.ts';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { OperatorProcess } from '../operator-process.ts';
import { QuickClock } from '../quick-clock.ts';

let cluster: Cluster;
let operator: OperatorProcess;

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, zones: 1 });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  const kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
  // How a drain stands is written every ten seconds, which is a long time in a test.
  operator = OperatorProcess.quick(new QuickClock(4), kubeconfig, 0);
  for (const node of ['n1', 'n2']) await cluster.apply(JSON.stringify(bare(`bare-${node}`, node)));
  await cluster.kubectl(['wait', '--for=condition=Ready', 'pods', '--all', '--timeout=60s']);
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  await cluster?.stop();
});

const bare = (name: string, nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { nodeName, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'web:1' }] },
});
const drover = (...args: string[]) => runDrover(args, { env: { KUBECONFIG: cluster.kubeconfig } });
const isCordoned = async (node: string) => {
  const { stdout } = await cluster.kubectl(['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}']);
  return stdout === 'true';
};

describe('drover drain, on a real API server', () => {
  test('says up front what would become of each pod, and writes nothing', async () => {
    const { exitCode, stdout } = await drover('drain', 'n1', '--dry-run');
    expect(stdout).toMatch(/^n1 +default\/bare-n1 +NEVER +default\/bare-n1 belongs to no controller/m);
    expect(exitCode).toBe(4);
    const forced = await drover('drain', 'n1', '--dry-run', '--force', '-o', 'json');
    expect(JSON.parse(forced.stdout)).toMatchObject({
      outlook: 'going',
      pods: [{ pod: 'default/bare-n1', would: 'evict' }],
    });
    expect(forced.exitCode).toBe(0);
    expect(await isCordoned('n1')).toBe(false);
    expect((await cluster.kubectl(['get', 'nodedrains', '-o', 'name'])).stdout).toBe('');
  });

  test('ends with 4 where something will never go, and with 0 when it was told to take it', async () => {
    const never = await drover('drain', 'n1');
    expect(never.stdout).toContain('nodedrain/drain-n1 created\n');
    expect(never.stdout).toContain('UnmanagedPod: default/bare-n1 belongs to no controller');
    expect(never.exitCode).toBe(4);
    const drained = await drover('drain', 'n1', '--force');
    expect(drained.stdout).toMatch(
      /nodedrain\/drain-n1 is under way already: following it\n[\s\S]*node\/n1 drained\nnodedrain\/drain-n1 completed\n$/,
    );
    expect(drained.exitCode).toBe(0);
    expect(await isCordoned('n1')).toBe(true);
    // A drain that is done is an old story.
    const again = await drover('drain', 'n1', '-o', 'json');
    expect(JSON.parse(again.stdout)).toMatchObject({ end: 'drained', status: { phase: 'Completed' } });
    expect((await drover('uncordon', 'n1')).stdout).toBe('node/n1 uncordoned\n');
    const once = await drover('uncordon', 'n1', '-o', 'json');
    expect(JSON.parse(once.stdout)).toEqual({ takenBack: [], nodes: [{ name: 'n1', was: 'uncordoned' }] });
    expect(await isCordoned('n1')).toBe(false);
  });

  test('ends with 3 when the time is up, and uncordon takes it back', async () => {
    await cluster.apply(
      JSON.stringify({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'bare' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'bare-n2' } } },
      }),
    );
    const { exitCode, stdout } = await drover('drain', 'n2', '--force', '--timeout', '8s');
    expect(stdout).toContain('BudgetHolds: default/bare-n2 is held by the disruption budget default/bare');
    expect(stdout).toContain('kubectl delete nodedrain drain-n2 takes it back');
    expect(exitCode).toBe(3);
    expect((await drover('uncordon', 'n2')).stdout).toBe(
      'nodedrain/drain-n2 deleted: it was under way\nnode/n2 uncordoned\n',
    );
    await expect.poll(() => isCordoned('n2'), { timeout: 10_000 }).toBe(false);
  });

  test('names a node that does not exist', async () => {
    const { exitCode, stderr } = await drover('drain', 'n9');
    expect(stderr).toBe('drover: there is no node n9; kubectl get nodes lists them\n');
    expect(exitCode).toBe(1);
  });
});
