import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { testAuthority, testLeaf } from '../../src/kube/testing/test-certificates.ts';
import { runProgram } from '../../tools/control-plane/run-program.ts';
import { heldCluster, reviewsOf } from './held-cluster.ts';

const requests = Number(process.env['DROVER_BENCH_REQUESTS'] ?? 20_000);
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

/**
 * The webhook with a decision about 100 process groups in it, beside webhooks in Go and in Node that allow everything without looking, under the
 * same load: so many requests in flight, from a client in Go, over TLS connections that are kept. The goals are set against the one in Go.
 */
export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-webhook-'));
  const servers: ChildProcess[] = [];
  try {
    const bare = await build(folder);
    if (bare === undefined) return console.log('webhook: skipped, there is no Go on this machine to compare with');
    const files = await certificates(folder);
    const start = (command: string, args: readonly string[]) => startServer(servers, command, args);
    const ours = await start(process.execPath, [join(import.meta.dirname, 'ours.ts'), files.certificate, files.key]);
    const least = await start(process.execPath, [join(import.meta.dirname, 'least.ts'), files.certificate, files.key]);
    const rival = await start(bare, ['serve', files.certificate, files.key]);
    console.log(`webhook: ${requests.toLocaleString('en')} evictions of pods of a cluster of 100 process groups`);
    const measure = (server: Server, flight: number) => underLoad(bare, server, files, flight);
    for (const server of [ours, least, rival]) await measure(server, 32);
    for (const flight of inFlight) {
      const figures = [
        await measure(ours, flight),
        await measure(least, flight),
        await measure(rival, flight),
      ] as const;
      compare(flight, ...figures);
    }
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare(flight: number, ours: Figures, least: Figures, rival: Figures): void {
  for (const [who, { perSecond, p50, p99, cpu }] of Object.entries({
    Drover: ours,
    'bare Node': least,
    'bare Go': rival,
  })) {
    const times = `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
    console.log(
      `  ${String(flight).padStart(3)} in flight  ${who.padEnd(10)}${perSecond.toFixed(0).padStart(6)}/s, ${times}, ${cpu.toFixed(3)} CPU-s per 1,000`,
    );
  }
  const [p99, cpu] = [ours.p99 / rival.p99, ours.cpu / rival.cpu];
  const met = (ratio: number, goal: number) =>
    `${ratio.toFixed(2)} times (goal ${goal}, ${ratio <= goal ? 'met' : 'missed'})`;
  console.log(`                 p99 ${met(p99, goals.p99)}, CPU ${met(cpu, goals.cpu)}`);
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
  readonly authority: string;
  readonly bodies: string;
}

async function certificates(folder: string): Promise<Files> {
  const authority = await testAuthority();
  const leaf = await testLeaf(authority);
  const put = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text, { mode: 0o600 });
    return join(folder, file);
  };
  return {
    certificate: put('tls.crt', leaf.certificate),
    key: put('tls.key', leaf.key),
    authority: put('ca.crt', authority.certificate),
    bodies: put('reviews', reviewsOf(heldCluster(), 'db')),
  };
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

async function underLoad(bare: string, server: Server, { authority, bodies }: Files, flight: number): Promise<Figures> {
  const before = cpuSeconds(server.pid);
  const url = `https://127.0.0.1:${server.port}/evict?timeout=3s`;
  const { code, stdout, stderr } = await runProgram(
    bare,
    ['load', url, authority, bodies, String(flight), String(requests)],
    {},
  );
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
