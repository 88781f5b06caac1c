import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { ensureControlPlane } from './build.ts';
import { withLock } from './build-lock.ts';
import { readRecipe } from './build-recipe.ts';
import { quickNodeTimings, startCluster, usualNodeTimings } from './cluster.ts';
import { livingParts, readRecord, stopRecorded, writeRecord } from './cluster-record.ts';
import { ControlPlaneError } from './errors.ts';

const defaultKubeconfig = join('.drover', 'kubeconfig');

interface FileOption {
  readonly kubeconfig: string;
}

interface UpOptions extends FileOption {
  readonly nodes: number;
  readonly zones?: number;
  readonly quickNodeFailure?: boolean;
}

const example = `
Example:
  npm run cluster -- up --nodes 6 --zones 3
  npm run cluster -- kubectl get nodes
  npm run cluster -- down`;

function buildProgram(signal: AbortSignal): Command {
  const program = new Command('cluster')
    .description('A real Kubernetes on this machine, without containers: true control plane, made-up nodes and pods.')
    .addHelpText('after', example)
    .enablePositionalOptions();
  withFile(program.command('up'))
    .description('Start a cluster and return; it goes on until "down".')
    .option('--nodes <count>', 'how many nodes, named n1, n2, ...', wholeNumber, 3)
    .option(
      '--zones <count>',
      'over how many zones they are dealt (default: 3, or fewer with fewer nodes)',
      wholeNumber,
    )
    .option('--quick-node-failure', 'notice a dead node after 5 s instead of 50 s')
    .action((options: UpOptions) => up(locate(options), options, signal));
  withFile(program.command('down'))
    .description('Stop the cluster, wait until every process is gone, and remove its data.')
    .action((options: FileOption) => down(locate(options)));
  withFile(program.command('status'))
    .description('Say what runs; exit code 1 unless all of it does.')
    .action((options: FileOption) => status(locate(options)));
  withFile(program.command('kubectl'))
    .description('Run the kubectl that belongs to the cluster.')
    .argument('[arguments...]')
    .passThroughOptions()
    .allowUnknownOption()
    .action((args: string[], options: FileOption) => kubectl(locate(options), args, signal));
  return program;
}

function withFile(command: Command): Command {
  return command.option(
    '--kubeconfig <file>',
    "the cluster's kubeconfig, by which the other commands find it",
    defaultKubeconfig,
  );
}

/** npm runs scripts in the package's folder; a file that a person names is meant from where the person is. */
function locate({ kubeconfig }: FileOption): string {
  return kubeconfig === defaultKubeconfig ? resolve(kubeconfig) : resolve(process.env['INIT_CWD'] ?? '.', kubeconfig);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

async function up(kubeconfig: string, options: UpOptions, signal: AbortSignal): Promise<void> {
  if (kubeconfig === resolve(defaultKubeconfig)) mkdirSync(dirname(kubeconfig), { recursive: true });
  if (!existsSync(dirname(kubeconfig))) {
    throw new ControlPlaneError(
      'KubeconfigFolderMissing',
      `there is no folder ${dirname(kubeconfig)}; make it, or name another --kubeconfig`,
    );
  }
  await withLock(`${kubeconfig}.lock`, { signal }, async () => {
    await makeRoom(kubeconfig);
    const started = Date.now();
    const cluster = await startCluster({
      nodes: options.nodes,
      zones: options.zones,
      nodeTimings: options.quickNodeFailure === true ? quickNodeTimings : usualNodeTimings,
      signal,
    });
    try {
      copyFileSync(cluster.kubeconfig, kubeconfig);
      writeRecord(kubeconfig, cluster);
      await cluster.letGo();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    console.log(nextSteps(kubeconfig, cluster.url, options, (Date.now() - started) / 1000));
  });
}

/** Refuses to replace a cluster that runs, or a file that is not ours; clears what a dead one left. */
async function makeRoom(kubeconfig: string): Promise<void> {
  const record = readRecord(kubeconfig);
  if (record !== undefined) {
    if (livingParts(record).length > 0) {
      throw new ControlPlaneError(
        'AlreadyUp',
        `a cluster is up with ${kubeconfig}; stop it with "down", or name another --kubeconfig`,
      );
    }
    await stopRecorded(kubeconfig, record);
  } else if (existsSync(kubeconfig)) {
    throw new ControlPlaneError(
      'AlreadyUp',
      `${kubeconfig} exists and is not ours; name another --kubeconfig, or remove it`,
    );
  }
}

function nextSteps(kubeconfig: string, url: string, options: UpOptions, seconds: number): string {
  const flag = kubeconfig === resolve(defaultKubeconfig) ? '' : ` --kubeconfig ${kubeconfig}`;
  return [
    `Kubernetes ${readRecipe().kubernetesVersion} with ${options.nodes} nodes is up at ${url} after ${seconds.toFixed(1)} s.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    `  npm run cluster -- kubectl${flag} get nodes    # or your own kubectl`,
    `  npm run cluster -- down${flag}`,
  ].join('\n');
}

async function down(kubeconfig: string): Promise<void> {
  const record = readRecord(kubeconfig);
  if (record === undefined) {
    console.log(`No cluster is up with ${kubeconfig}.`);
    return;
  }
  const running = livingParts(record).length;
  await stopRecorded(kubeconfig, record);
  console.log(
    running > 0 ? `Stopped ${running} processes; the data is removed.` : 'It had stopped before; the rest is removed.',
  );
}

async function status(kubeconfig: string): Promise<void> {
  const record = readRecord(kubeconfig);
  if (record === undefined) {
    console.log(`No cluster is up with ${kubeconfig}. Start one with "up".`);
    process.exitCode = 1;
    return;
  }
  const living = new Set(livingParts(record));
  console.log(`${record.url}, logs in ${record.dataFolder}`);
  for (const { part, pid } of record.processes)
    console.log(`  ${part.padEnd(24)} ${living.has(part) ? `process ${pid}` : 'ended'}`);
  if (living.size === record.processes.length) return;
  console.log('Part of it has ended: run "down", then "up".');
  process.exitCode = 1;
}

async function kubectl(kubeconfig: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  if (!existsSync(kubeconfig))
    throw new ControlPlaneError('NotReady', `no cluster is up with ${kubeconfig}; start one with "up"`);
  const programs = await ensureControlPlane({ signal });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(join(programs, 'kubectl'), args, {
    stdio: 'inherit',
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? 1));
  process.exitCode = await promise;
}

/** Runs the command; what was expected to go wrong is told in one line. */
export async function runClusterCommand(argv: readonly string[]): Promise<void> {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => abort.abort());
  try {
    await buildProgram(abort.signal).parseAsync([...argv]);
  } catch (error) {
    if (abort.signal.aborted) process.exitCode = 130;
    else if (error instanceof ControlPlaneError) {
      console.error(`error: ${error.message}`);
      process.exitCode = 1;
    } else throw error;
  }
}

if (import.meta.main) await runClusterCommand(process.argv);
