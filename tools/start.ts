/**
 * `npm start`, until the embedded world exists: the operator on a real control plane of its own, under its own service account, with one
 * StatefulCluster to look at. Ctrl-C leaves nothing behind.
 */

import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { ensureControlPlane } from './control-plane/build.ts';
import { startCluster } from './control-plane/cluster.ts';
import { ControlPlaneError } from './control-plane/errors.ts';

const say = (line: string) => console.log(line);

async function start(): Promise<void> {
  await ensureControlPlane();
  say('Starting a Kubernetes control plane with 6 nodes in 3 zones ...');
  const cluster = await startCluster({ nodes: 6, zones: 3 });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
    await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
    const kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 86_400 });
    const operator = spawn(
      process.execPath,
      ['src/cli/main.ts', 'operator', '--kubeconfig', kubeconfig, '--health-port', '0', '--webhook-port', '0'],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const ended = new Promise<void>((resolve) => operator.once('exit', () => resolve()));
    await cluster.apply(readFileSync('examples/foundationdb.yaml', 'utf8'));
    await cluster.kubectl([
      'wait',
      '--for=jsonpath={.status.observedGeneration}=1',
      'statefulcluster',
      '--all',
      '-A',
      '--timeout=60s',
    ]);
    const { stdout } = await cluster.kubectl(['get', 'statefulclusters', '-A', '-o', 'wide']);
    say(`\nThe operator has read its first StatefulCluster:\n\n${stdout}`);
    say('Look around from another terminal:\n');
    say(`  export KUBECONFIG=${cluster.kubeconfig}`);
    say('  kubectl get nodes\n  kubectl explain statefulcluster.spec\n  kubectl describe statefulcluster -A\n');
    say('Ctrl-C stops everything.');
    await Promise.race([ended, new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()))]);
    operator.kill('SIGTERM');
    await ended;
  } finally {
    await cluster.stop();
  }
}

try {
  await start();
} catch (error) {
  if (!(error instanceof ControlPlaneError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
