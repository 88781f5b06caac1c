import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';
import { run } from '../../tools/step.ts';
import { podLike } from './pod-like.ts';
import type { Reading } from './reading.ts';

const podCount = Number(process.env['DROVER_BENCH_PODS'] ?? 20_000);
const rounds = 3;
const clients = ['drover', 'client-node'] as const;

/** How long, how much CPU and how much memory it takes to have all pods of a cluster in memory. */
export async function bench(): Promise<void> {
  console.log(`cache: ${podCount} pods on a real API server, ${rounds} rounds, the two clients in turn`);
  const cluster = await startCluster({ nodes: 0, without: ['kube-scheduler', 'kube-controller-manager', 'kwok'] });
  try {
    await createPods(cluster);
    const account = await serviceAccountFolder(cluster);
    const access = { drover: [account, cluster.url], 'client-node': [cluster.kubeconfig] };
    const readings: Record<(typeof clients)[number], Reading[]> = { drover: [], 'client-node': [] };
    for (let round = 1; round <= rounds; round++) {
      for (const client of clients) {
        const script = join(import.meta.dirname, `${client}.ts`);
        const command = [process.execPath, '--expose-gc', script, String(podCount), ...access[client]];
        const { code, output } = await run(command);
        if (code !== 0) throw new Error(`${client} failed:\n${output}`);
        const reading: Reading = JSON.parse(output.trim().split('\n').at(-1) ?? '');
        readings[client].push(reading);
        console.log(`  round ${round}  ${client.padEnd(12)} ${format(reading)}`);
      }
    }
    const [ours, theirs] = [median(readings.drover), median(readings['client-node'])];
    console.log(`  median   drover       ${format(ours)}`);
    console.log(`  median   client-node  ${format(theirs)}`);
    const ratio = (key: keyof Reading) => (theirs[key] / ours[key]).toFixed(1);
    console.log(
      `  client-node / drover: time ${ratio('seconds')}, CPU ${ratio('cpuSeconds')}, memory at rest ${ratio('rssMegabytes')}`,
    );
  } finally {
    await cluster.stop();
  }
}

/** What a pod finds mounted: Drover is measured as it runs in a cluster, without the kubeconfig reader. */
async function serviceAccountFolder(cluster: Cluster): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  await writeFile(join(folder, 'token'), cluster.adminToken);
  await writeFile(join(folder, 'ca.crt'), Buffer.from(cluster.caData, 'base64'));
  return folder;
}

async function createPods(cluster: Cluster): Promise<void> {
  const connection = await kubeconfigConnection(cluster.kubeconfig, realClock);
  const client = new KubeClient({
    transport: nodeTransport(connection),
    clock: realClock,
    random: realRandom,
    rateLimit: { perSecond: 10_000, burst: 10_000 },
  });
  const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
  const { signal } = new AbortController();
  const started = performance.now();
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < podCount; index = next++) await client.create(pods, podLike(index), { signal });
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  console.log(`  created in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

function median(readings: readonly Reading[]): Reading {
  const middle = (pick: (reading: Reading) => number) =>
    readings.map(pick).sort((a, b) => a - b)[Math.floor(readings.length / 2)] ?? Number.NaN;
  return {
    seconds: middle(({ seconds }) => seconds),
    cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds),
    rssMegabytes: middle(({ rssMegabytes }) => rssMegabytes),
    peakMegabytes: middle(({ peakMegabytes }) => peakMegabytes),
  };
}

function format({ seconds, cpuSeconds, rssMegabytes, peakMegabytes }: Reading): string {
  return `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, RSS ${rssMegabytes.toFixed(0)} MB at rest, ${peakMegabytes.toFixed(0)} MB at most`;
}
