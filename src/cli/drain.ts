import { Command, InvalidArgumentError } from 'commander';
import { nodeDrain } from '../api/kinds.ts';
import type { NodeDrainSpec } from '../api/v1alpha1/node-drain.schema.ts';
import { KubeClient } from '../kube/client.ts';
import type { EpochMillis } from '../kube/clock.ts';
import { epochMillis, fromTimestamp, toTimestamp } from '../kube/clock.ts';
import { parseGoDuration } from '../kube/go-duration.ts';
import { jsonLogger } from '../kube/log.ts';
import { nodeTransport } from '../kube/node-transport.ts';
import { realRandom } from '../kube/random.ts';
import { realClock } from '../kube/real-clock.ts';
import type { DrainPlan } from '../model/drain.ts';
import { whatIf } from '../operator/node-drain/what-if.ts';
import { connect } from './connection.ts';
import { askFor, chosenNodes, drainName, lookAt } from './drain-request.ts';
import { prospectsOf, prospectsTable, whatWaits } from './drain-text.ts';
import type { DrainEnd } from './follow-drain.ts';
import { followDrain } from './follow-drain.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { ProgressLine } from './progress-line.ts';
import { exitCodes } from './run-command.ts';
import { listenForTheEnd } from './the-end.ts';

interface Options {
  readonly selector?: string;
  readonly dryRun?: true;
  readonly timeout?: number;
  readonly deadline?: EpochMillis;
  readonly ignoreDaemonsets: boolean;
  readonly deleteEmptydirData?: true;
  readonly force?: true;
  readonly gracePeriod: number;
  readonly maxConcurrentNodes: number;
  readonly uncordonAfterwards?: true;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

const example = `
Examples:
  $ drover drain n1
  $ drover drain n1 n2 n3 --max-concurrent-nodes 3 --delete-emptydir-data
  $ drover drain -l pool=blue --dry-run      # what would become of each pod; nothing is written
  $ drover drain n1 --timeout 30m -o json

Ctrl-C only ends the looking on: the drain goes on, and the same command follows it again.
Exit codes: 0 drained; 1 could not ask, or somebody took it back; 2 called wrongly; 3 still waits when the time is up; 4 something on
the nodes will never go by itself; 130 told to look no longer.`;

/** `drover drain`: asks for a NodeDrain and follows it, with kubectl drain's habits. */
export function drainCommand(): Command {
  return new Command('drain')
    .description('Drains nodes: cordons them, evicts their pods as the guards allow, and says what each waits for.')
    .argument('[nodes...]', 'the nodes')
    .option('-l, --selector <labels>', 'the nodes, by their labels instead')
    .option('--dry-run', 'only say what would become of each pod')
    .option(
      '--timeout <duration>',
      'how long to wait for the end, such as 90s or 1h30m; nothing is forced then. 0s, or none given: without end',
      timeout,
    )
    .option('--deadline <time>', 'the same as a moment, such as 2026-11-15T06:00:00Z', deadline)
    .option('--ignore-daemonsets', 'leave the pods of DaemonSets where they are', true)
    .option('--no-ignore-daemonsets', 'stop at them')
    .option('--delete-emptydir-data', 'evict pods with emptyDir volumes, although that data is lost')
    .option('--force', 'evict pods that nothing will make again; never overrides a guard')
    .option('--grace-period <seconds>', "how long a pod gets to end; -1: the pod's own", wholeNumber, -1)
    .option('--max-concurrent-nodes <number>', 'how many nodes at the same time', wholeNumber, 1)
    .option('--uncordon-afterwards', 'give each node back once it is drained')
    .option(
      '--kubeconfig <file>',
      'how to reach the API server; default KUBECONFIG, the own cluster, or ~/.kube/config',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

async function run(names: readonly string[], options: Options, command: Command): Promise<void> {
  if ((names.length === 0) === (options.selector === undefined)) {
    command.error('error: name the nodes, or select them with -l, and not both');
  }
  if (options.timeout !== undefined && options.deadline !== undefined) {
    command.error('error: --timeout and --deadline say the same: give one of them');
  }
  const transport = nodeTransport(await connect(options, realClock, process.env));
  const end = listenForTheEnd();
  try {
    const client = new KubeClient({ transport, clock: realClock, random: realRandom });
    const chosen = await chosenNodes(client, names, options.selector, end.signal);
    const spec = specOf(chosen, options);
    if (options.dryRun === true) await lookAhead(client, chosen, spec, options, end.signal);
    else await drain(client, drainName(chosen), spec, options, end.signal);
  } finally {
    end.dispose();
    transport.close();
  }
}

function specOf(nodes: readonly string[], options: Options): NodeDrainSpec {
  const by = untilOf(options, realClock.now());
  return nodeDrain.spec.parse({
    nodes,
    maxConcurrentNodes: options.maxConcurrentNodes,
    deadline: by === undefined ? null : toTimestamp(by),
    pods: {
      ignoreDaemonSets: options.ignoreDaemonsets,
      deleteEmptyDirData: options.deleteEmptydirData === true,
      force: options.force === true,
      gracePeriodSeconds: options.gracePeriod < 0 ? null : options.gracePeriod,
    },
    afterwards: options.uncordonAfterwards === true ? 'Uncordon' : 'KeepCordoned',
  });
}

/** When to give up; undefined: never. No time at all is without end, as it is for kubectl. */
export const untilOf = (
  { timeout: length = 0, deadline: moment }: Pick<Options, 'timeout' | 'deadline'>,
  now: EpochMillis,
): EpochMillis | undefined => moment ?? (length === 0 ? undefined : epochMillis(now + length));

async function lookAhead(
  client: KubeClient,
  nodes: readonly string[],
  spec: NodeDrainSpec,
  { output }: Options,
  signal: AbortSignal,
): Promise<void> {
  const logger = jsonLogger({ clock: realClock, level: 'error' });
  const plan = await whatIf({ client, clock: realClock, random: realRandom, logger }, nodes, spec, signal);
  const pods = prospectsOf(plan);
  process.stdout.write(`${format(output, { outlook: plan.outlook, pods }, () => prospectsTable(pods))}\n`);
  process.exitCode = aheadExitCode(plan);
}

async function drain(
  client: KubeClient,
  name: string,
  spec: NodeDrainSpec,
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  const asked = await askFor(client, realClock, name, spec, signal);
  const line = new ProgressLine();
  const isText = options.output === 'text';
  const say = (text: string) => {
    line.clear();
    if (isText) process.stdout.write(`${text}\n`);
    else process.stderr.write(`${text}\n`);
  };
  say(asked === 'created' ? `nodedrain/${name} created` : `nodedrain/${name} is under way already: following it`);
  const read = (calling: AbortSignal) => lookAt(client, name, calling);
  const show = (gone: number, all: number, more: string) => line.show(gone, Math.max(1, all), () => more);
  const { end, status } = await followDrain(
    { clock: realClock, read, until: untilOf(options, realClock.now()), say, show },
    signal,
  );
  line.clear();
  for (const text of farewell(end, name, status === undefined ? [] : whatWaits(status))) say(text);
  if (!isText) process.stdout.write(`${format(options.output, { name, end, status: status ?? null }, () => '')}\n`);
  process.exitCode = drainExitCodes[end];
}

/** What the process ends with. */
export const drainExitCodes: Readonly<Record<DrainEnd, number>> = {
  drained: 0,
  deleted: exitCodes.failed,
  'time-up': 3,
  never: 4,
  stopped: 130,
};

/** What a look ahead ends with: where something waits, the drain would still come to its end. */
export const aheadExitCode = ({ outlook }: Pick<DrainPlan, 'outlook'>): number =>
  outlook === 'never' ? drainExitCodes.never : 0;

/** The last words about a drain: what came of it, and what a person can do now. */
export function farewell(end: DrainEnd, name: string, waits: readonly string[]): readonly string[] {
  const takeBack = `kubectl delete nodedrain ${name} takes it back`;
  switch (end) {
    case 'drained':
      return [`nodedrain/${name} completed`];
    case 'deleted':
      return [`nodedrain/${name} was deleted by somebody: what it cordoned is uncordoned`];
    case 'time-up':
      return ['the time is up, and these still wait; nothing is forced:', ...waits, `the drain goes on; ${takeBack}`];
    case 'never':
      return ['what is left will never go by itself:', ...waits, `change a setting and ask again, or ${takeBack}`];
    case 'stopped':
      return [`the drain goes on: kubectl get nodedrain ${name} shows how far it is; ${takeBack}`];
  }
}

function timeout(text: string): number {
  const length = parseGoDuration(text);
  if (length === undefined) throw new InvalidArgumentError('It must be a length of time, such as 90s, 30m or 1h30m.');
  return length;
}

function deadline(text: string): EpochMillis {
  const moment = fromTimestamp(text);
  if (moment === undefined) throw new InvalidArgumentError('It must be a moment, such as 2026-11-15T06:00:00Z.');
  return moment;
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
