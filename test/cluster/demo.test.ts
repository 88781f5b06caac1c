import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureControlPlane } from '../../tools/control-plane/build.ts';
import { runProgram } from '../../tools/control-plane/run-program.ts';

/** `npm start` as it is in package.json, with arguments of our own. */
const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
const [, ...script] = String(start).split(' ');

let folder: string;
let demo: ChildProcess;
let kubectlPath: string;
let kubeconfig: string;

beforeAll(async () => {
  kubectlPath = join(await ensureControlPlane(), 'kubectl');
  folder = mkdtempSync(join(tmpdir(), 'drover-demo-kubectl-'));
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, [...script, '--no-story'], { stdio: ['ignore', 'pipe', 'inherit'], env });
  demo = child;
  kubeconfig = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the demo ended before it was up')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const path = /export KUBECONFIG=(.*)/.exec(line)?.[1];
      if (path !== undefined) resolve(path);
    });
  });
});

afterAll(() => {
  demo?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** What it prints, and how it ends. */
function run(...args: readonly string[]): ReturnType<typeof runProgram> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, KUBERC: 'off', KUBECACHEDIR: join(folder, 'cache') };
  return runProgram(kubectlPath, args, { env });
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

/** `namespace/name` of the pods on a node. */
async function podsOn(node: string): Promise<readonly string[]> {
  const path = `jsonpath={range .items[?(@.spec.nodeName=="${node}")]}{.metadata.namespace}/{.metadata.name} {end}`;
  const text = await kubectl('get', 'pods', '-A', '-o', path);
  return text.trim().split(' ');
}

describe('the demo, seen with the real kubectl', () => {
  test('has nine ready nodes, and all pods run', async () => {
    const nodes = await kubectl('get', 'nodes', '--no-headers');
    expect(nodes.trim().split('\n')).toHaveLength(9);
    expect(nodes).not.toContain('NotReady');
    const pods = (await kubectl('get', 'pods', '-A', '-o', 'wide', '--no-headers')).trim().split('\n');
    expect(pods).toHaveLength(15);
    for (const pod of pods) expect(pod).toContain('Running');
  });

  test('serves the three kinds, and every role has its lock', async () => {
    const clusters = (await kubectl('get', 'statefulclusters', '-A', '--no-headers')).trim().split('\n');
    expect(clusters.map((line) => line.split(/\s+/).slice(0, 7).join(' '))).toEqual([
      'ledger ledger foundationdb True 9 0 0',
      'reports reports http True 1 0 0',
      'shop shop http True 5 0 0',
    ]);
    expect(await kubectl('get', 'evictionguards,nodedrains', '-A')).toBe('');
    const budgets = (await kubectl('get', 'pdb', '-A', '--no-headers')).trim().split('\n');
    expect(budgets.map((line) => line.split(/\s+/)[1])).toEqual([
      'drover-cluster-ledger.log',
      'drover-cluster-ledger.stateless',
      'drover-cluster-ledger.storage',
      'drover-cluster-reports.single',
      'drover-cluster-shop.server',
    ]);
  });

  test('a drain of n3 is refused with reasons, waits for the data, and ends', async () => {
    const before = await podsOn('n3');
    expect(before).toEqual([
      expect.stringMatching(/^ledger\/ledger-storage-\d+$/),
      expect.stringMatching(/^shop\/shop-server-\d+$/),
    ]);
    const { code, stdout, stderr } = await run('drain', 'n3', '--ignore-daemonsets', '--timeout=120s');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('(will retry after 5s)') });
    expect(stdout).toContain('node/n3 drained');
    expect(stderr).toMatch(/"shop-server-\d+" .*: admission webhook "evict.drover.dev" denied .* stays: it leads/);
    expect(stderr).toMatch(
      /"ledger-storage-\d+" .*: admission webhook .*: drover: storage-\d+ stays: it is not drained/,
    );
    expect(await podsOn('n3')).toEqual(['']);
    await kubectl('uncordon', 'n3');
  });

  test('a drain of the node with the lone server never ends, and says so', async () => {
    const path = ['-n', 'reports', 'reports-single-1', '-o'];
    const where = await kubectl('get', 'pod', ...path, 'jsonpath={.spec.nodeName} {.metadata.uid}');
    const [node = ''] = where.split(' ');
    const { code, stderr } = await run('drain', node, '--ignore-daemonsets', '--timeout=3s');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('single-1 stays: pods of the role') });
    await kubectl('uncordon', node);
    expect(await kubectl('get', 'pod', ...path, 'jsonpath={.spec.nodeName} {.metadata.uid}')).toBe(where);
  });

  test('a watch lasts as long as kubectl asks for in real seconds, although an hour of the demo passes in a minute', async () => {
    const began = performance.now();
    const events = await kubectl('get', '--raw', '/api/v1/namespaces/shop/pods?watch=true&timeoutSeconds=3');
    expect(performance.now() - began).toBeGreaterThan(2900);
    expect(events).toContain('"type":"ADDED"');
  });

  test('a taint on n4: what is there is replaced, its taint taken back, and the node is used again', async () => {
    const before = await podsOn('n4');
    const servers = before.filter((pod) => pod.startsWith('shop/'));
    expect(servers).not.toEqual([]);
    await kubectl('taint', 'node', 'n4', 'example.com/maintenance=yes:NoSchedule');
    await expect
      .poll(() => podsOn('n4'), { timeout: 60_000, interval: 500 })
      .not.toEqual(expect.arrayContaining(servers));
    const names = await kubectl('get', 'pods', '-n', 'shop', '-o', 'name');
    expect(names.match(/pod\/shop-server/g)).toHaveLength(5);
    await kubectl('taint', 'node', 'n4', 'example.com/maintenance-');
    await kubectl('cordon', 'n4');
    expect(await kubectl('get', 'node', 'n4')).toContain('SchedulingDisabled');
    await kubectl('uncordon', 'n4');
  });

  test('Ctrl-C ends it within a moment, and nothing is left', async () => {
    expect(existsSync(kubeconfig)).toBe(true);
    const ended = once(demo, 'exit');
    demo.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('drover-demo-'))).toEqual([]);
  });
});
