import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { testAuthority, testLeaf } from '../../src/kube/testing/test-certificates.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';
import { runProgram } from '../../tools/control-plane/run-program.ts';
import { heldCluster } from './held-cluster.ts';

const requests = Number(process.env['DROVER_BENCH_REQUESTS'] ?? 3000);
/** How often each is measured, in turn: a machine that others use, too, is as much as twice as slow from one minute to the next. */
const rounds = Number(process.env['DROVER_BENCH_ROUNDS'] ?? 5);
const inFlight = [1, 32, 128];
const goals = { p99: 1.5, cpu: 1.3 };

/** What one server did under one load. */
interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Seconds of CPU for 1,000 requests. */
  readonly cpu: number;
}

/** The webhooks, each by the namespace whose evictions the API server asks it about. */
const rivals = { db: 'Drover', least: 'bare Node', bare: 'bare Go' } as const;
type Namespace = keyof typeof rivals;
const namespaces = ['db', 'least', 'bare'] as const;

/**
 * The webhook with a decision about 100 process groups in it, beside webhooks in Go and in Node that say 429 without looking. So many people in
 * flight evict pods that may not go, by way of a real API server: it is who asks webhooks, over HTTP/1.1 as it does wherever one is not on its own
 * machine, and keeps 25 connections to each. The goals are set against the one in Go; of several rounds the median.
 */
export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-webhook-'));
  const servers: ChildProcess[] = [];
  let cluster: Cluster | undefined;
  try {
    const bare = await build(folder);
    if (bare === undefined) return console.log('webhook: skipped, there is no Go on this machine to compare with');
    // On its own machine it would use HTTP/2.
    process.env['DISABLE_HTTP2'] = '1';
    cluster = await startCluster({ nodes: 0, without: ['kube-controller-manager', 'kube-scheduler', 'kwok'] });
    const pods = [...heldCluster().pods.keys()];
    const files = await filesIn(folder, cluster, pods);
    const start = (command: string, args: readonly string[]) => startServer(servers, command, args);
    const inNode = (file: string) =>
      start(process.execPath, [join(import.meta.dirname, file), files.certificate, files.key]);
    const started: { readonly [name in Namespace]: Server } = {
      db: await inNode('ours.ts'),
      least: await inNode('least.ts'),
      bare: await start(bare, ['serve', files.certificate, files.key]),
    };
    for (const namespace of namespaces) await guarded(cluster, namespace, started[namespace].port, files, pods);
    const { url } = cluster;
    const measure = (namespace: Namespace, flight: number) =>
      underLoad(bare, started[namespace], [`${url}/api/v1/namespaces/${namespace}/pods/`, ...files.load], flight);
    console.log(`webhook: ${requests.toLocaleString('en')} evictions of pods of a cluster of 100 process groups`);
    for (const namespace of namespaces) await measure(namespace, 32);
    for (const flight of inFlight) {
      const figures: { readonly [name in Namespace]: Figures[] } = { db: [], least: [], bare: [] };
      for (let round = 0; round < rounds; round++)
        for (const namespace of namespaces) figures[namespace].push(await measure(namespace, flight));
      compare(flight, figures);
    }
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(figures: readonly Figures[], of: keyof Figures): number {
  const sorted = figures.map((figure) => figure[of]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function compare(flight: number, figures: { readonly [name in Namespace]: readonly Figures[] }): void {
  for (const namespace of namespaces) {
    const of = (what: keyof Figures) => median(figures[namespace], what);
    const times = `p50 ${of('p50').toFixed(2)} ms, p99 ${of('p99').toFixed(2)} ms`;
    const rate = of('perSecond').toFixed(0).padStart(6);
    console.log(
      `  ${String(flight).padStart(3)} in flight  ${rivals[namespace].padEnd(10)}${rate}/s, ${times}, ${of('cpu').toFixed(3)} CPU-s per 1,000`,
    );
  }
  const ratio = (what: keyof Figures) => median(figures.db, what) / median(figures.bare, what);
  const met = (times: number, goal: number) =>
    `${times.toFixed(2)} times (goal ${goal}, ${times <= goal ? 'met' : 'missed'})`;
  console.log(`                 p99 ${met(ratio('p99'), goals.p99)}, CPU ${met(ratio('cpu'), goals.cpu)}`);
}

/** The Go program, or undefined where there is no Go. */
async function build(folder: string): Promise<string | undefined> {
  const output = join(folder, 'bare');
  const cwd = join(import.meta.dirname, 'bare');
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  try {
    const { code, stderr } = await runProgram('go', ['build', '-trimpath', '-buildvcs=false', '-o', output, '.'], {
      cwd,
      env,
    });
    if (code !== 0) throw new Error(`go build: ${stderr}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return output;
}

interface Files {
  readonly certificate: string;
  readonly key: string;
  /** What the API server is to trust. */
  readonly authority: string;
  /** What the load needs: the API server's authority, a token, and the names of the pods. */
  readonly load: readonly string[];
}

async function filesIn(folder: string, cluster: Cluster, pods: readonly string[]): Promise<Files> {
  const authority = await testAuthority();
  const leaf = await testLeaf(authority);
  const put = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text, { mode: 0o600 });
    return join(folder, file);
  };
  return {
    certificate: put('tls.crt', leaf.certificate),
    key: put('tls.key', leaf.key),
    authority: Buffer.from(authority.certificate).toString('base64'),
    load: [
      put('ca.crt', Buffer.from(cluster.caData, 'base64').toString()),
      put('token', cluster.adminToken),
      put('pods', `${pods.join('\n')}\n`),
    ],
  };
}

/** A namespace with these pods, about whose evictions the API server asks the webhook at this port. */
async function guarded(
  cluster: Cluster,
  namespace: Namespace,
  port: number,
  { authority }: Files,
  pods: readonly string[],
): Promise<void> {
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const inside = `/api/v1/namespaces/${namespace}`;
  // Nobody else makes one without the controller manager.
  await cluster.create(`${inside}/serviceaccounts`, { metadata: { name: 'default' } });
  const spec = { containers: [{ name: 'server', image: 'server' }], automountServiceAccountToken: false };
  for (const name of pods) await cluster.create(`${inside}/pods`, { metadata: { name }, spec });
  await cluster.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: namespace },
    webhooks: [
      {
        name: `${namespace}.drover.dev`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        // Whoever does not answer must not pass for quick.
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        clientConfig: { url: `https://127.0.0.1:${port}/evict`, caBundle: authority },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
      },
    ],
  });
}

interface Server {
  readonly pid: number;
  readonly port: number;
}

async function startServer(servers: ChildProcess[], command: string, args: readonly string[]): Promise<Server> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { pid: child.pid ?? 0, port };
}

const loadSchema = z.object({ perSecond: z.number(), p50: z.number(), p99: z.number() });

async function underLoad(bare: string, server: Server, to: readonly string[], flight: number): Promise<Figures> {
  const before = cpuSeconds(server.pid);
  const { code, stdout, stderr } = await runProgram(bare, ['load', ...to, String(flight), String(requests)], {});
  if (code !== 0) throw new Error(`the load failed: ${stderr}`);
  const cpu = ((cpuSeconds(server.pid) - before) / requests) * 1000;
  return { ...loadSchema.parse(JSON.parse(stdout)), cpu };
}

/** User and system time of a process, as Linux counts it: in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
