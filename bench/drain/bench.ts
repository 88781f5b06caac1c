import { globSync, readFileSync } from 'node:fs';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { OperatorProcess } from '../../test/cluster/operator-process.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';
import type { Holding } from './full-nodes.ts';
import { FullNodes } from './full-nodes.ts';
import { byKubectl, byNodeDrain, byRawClient } from './rivals.ts';

const numbers = (name: string, usual: string) => (process.env[name] ?? usual).split(',').map(Number);
/** Pods a node, and nodes at a time. */
const sizes = numbers('DROVER_BENCH_PODS', '30,110,250');
const together = numbers('DROVER_BENCH_NODES', '1,3');

/**
 * Nodes full of pods, drained by kubectl, by a NodeDrain, and by the least that a client can do: the same evictions with the same number on their
 * way, which knows all pods beforehand. Free, under one ordinary budget, and under our lock with each of them opened. Each from the command until
 * the last pod is gone.
 */
export async function bench(): Promise<void> {
  const cluster = await startCluster({ nodes: 0 });
  const transport = nodeTransport(await kubeconfigConnection(cluster.kubeconfig, realClock));
  let operator: OperatorProcess | undefined;
  try {
    for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
    const kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 7200 });
    operator = new OperatorProcess(['--kubeconfig', kubeconfig, '--health-port', '0', '--webhook-port', '0']);
    await operator.says('leading');
    const rateLimit = { perSecond: 1e6, burst: 1e6 };
    const client = new KubeClient({ transport, clock: realClock, random: realRandom, rateLimit });
    const nodes = new FullNodes(cluster, client);
    await nodes.begin(Math.max(...together));
    for (const holding of ['nothing', 'budget', 'lock'] as const) {
      for (const count of together)
        for (const size of sizes) await compare(cluster, client, nodes, { size, count, holding });
    }
  } finally {
    operator?.kill('SIGKILL');
    transport.close();
    await cluster.stop();
  }
}

const under: { readonly [holding in Holding]: string } = {
  nothing: '',
  budget: ' under one budget',
  lock: ' opened under our lock',
};

interface Case {
  readonly size: number;
  readonly count: number;
  readonly holding: Holding;
}

async function compare(cluster: Cluster, client: KubeClient, nodes: FullNodes, { size, count, holding }: Case) {
  const took = async (drain: (names: readonly string[]) => Promise<void>): Promise<number> => {
    const names = await nodes.fill(count, size, holding);
    const started = performance.now();
    await drain(names);
    await nodes.areEmpty(names);
    return (performance.now() - started) / 1000;
  };
  const raw = await took((names) => byRawClient(client, names));
  const ours = await took((names) => byNodeDrain(cluster, names));
  const kubectl =
    process.env['DROVER_BENCH_KUBECTL'] === 'no' ? undefined : await took((names) => byKubectl(cluster, names));
  const against =
    kubectl === undefined ? '' : `, kubectl ${kubectl.toFixed(1)} s (${(kubectl / ours).toFixed(1)} times ours)`;
  console.log(
    `  ${count} x ${size} pods${under[holding]}: NodeDrain ${ours.toFixed(1)} s, raw client ${raw.toFixed(1)} s (ours is ${(ours / raw).toFixed(2)} times that)${against}`,
  );
}
