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
/** How often a NodeDrain and the raw client are measured, one after the other: a single drain is as much as twice as long as the next one. */
const [often = 3] = numbers('DROVER_BENCH_ROUNDS', '3');

/**
 * Nodes full of pods, drained by kubectl, by a NodeDrain, and by the least that a client can do: the same evictions with the same number on their
 * way, which knows all pods beforehand. Free, under one ordinary budget, and under our lock with each of them opened. Each from the command until
 * the last pod is gone; of several rounds the median.
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
        for (const size of sizes) await compare({ cluster, client, nodes, operator }, { size, count, holding });
    }
  } finally {
    operator?.kill('SIGKILL');
    transport.close();
    await cluster.stop();
  }
}

/** No longer than so many times the raw client, and so many times faster than kubectl, on one node and on several. */
const goals = { raw: 1.3, kubectl: { one: 6, several: 15 } };

/** How many evictions of the operator the API server answered with a conflict so far. */
async function conflictsOf(operator: OperatorProcess): Promise<number> {
  const { health } = await operator.ports();
  const text = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
  return Number(/^drover_drain_evictions_total\{answer="again"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
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

interface Parts {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  readonly nodes: FullNodes;
  readonly operator: OperatorProcess;
}

async function compare({ cluster, client, nodes, operator }: Parts, { size, count, holding }: Case): Promise<void> {
  const took = async (drain: (names: readonly string[]) => Promise<unknown>): Promise<number> => {
    const names = await nodes.fill(count, size, holding);
    const started = performance.now();
    await drain(names);
    await nodes.areEmpty(names);
    return (performance.now() - started) / 1000;
  };
  let theirs = 0;
  const before = await conflictsOf(operator);
  const rounds: { readonly raw: number; readonly ours: number }[] = [];
  for (let round = 0; round < often; round++) {
    const raw = await took(async (names) => (theirs += await byRawClient(client, names)));
    rounds.push({ raw, ours: await took((names) => byNodeDrain(cluster, names)) });
  }
  const raw = median(rounds.map((round) => round.raw));
  const ours = median(rounds.map((round) => round.ours));
  const conflicts = (await conflictsOf(operator)) - before;
  const kubectl =
    process.env['DROVER_BENCH_KUBECTL'] === 'no' ? undefined : await took((names) => byKubectl(cluster, names));
  const goal = (ratio: number, most: number, isMet: boolean) =>
    `${ratio.toFixed(2)} times, goal ${most}: ${isMet ? 'met' : 'missed'}`;
  const fast = count === 1 ? goals.kubectl.one : goals.kubectl.several;
  const against =
    kubectl === undefined
      ? ''
      : `, kubectl ${kubectl.toFixed(1)} s (${goal(kubectl / ours, fast, kubectl / ours >= fast)})`;
  const ofRaw = goal(ours / raw, goals.raw, ours / raw <= goals.raw);
  console.log(
    `  ${count} x ${size} pods${under[holding]}: NodeDrain ${ours.toFixed(1)} s with ${conflicts} conflicts, raw client ${raw.toFixed(1)} s with ${theirs} (${ofRaw})${against}`,
  );
}
