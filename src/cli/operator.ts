import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { seconds } from '../kube/clock.ts';
import type { LogLevel } from '../kube/log.ts';
import { jsonLogger, logLevels } from '../kube/log.ts';
import { realRandom } from '../kube/random.ts';
import { realClock } from '../kube/real-clock.ts';
import { names } from '../operator/names.ts';
import { runOperator } from '../operator/operator.ts';
import { connect } from './connection.ts';
import { port } from './port.ts';
import { exitCodes } from './run-command.ts';
import { oneMoreTaint } from './taint-key.ts';

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly image: string;
  readonly host?: string;
  readonly healthPort: number;
  readonly webhookPort: number;
  readonly webhookHost: readonly string[];
  readonly certificates?: string;
  readonly leaseDuration: number;
  readonly leavingTaint: readonly string[];
  readonly foreignWebhook: boolean;
  readonly logLevel: LogLevel;
}

const example = `
Example:
  $ drover operator --kubeconfig ~/.kube/config --health-port 8081

Exit codes: 0 stopped when told to, 1 could not run or lost the lease to another replica, 2 called wrongly.`;

/** `drover operator`: the operator itself, as it runs in a cluster or beside one. */
export function operatorCommand(): Command {
  return new Command('operator')
    .description('Runs the operator until it is told to stop.')
    .option(
      '--kubeconfig <file>',
      'how to reach the API server; default KUBECONFIG, the own cluster, or ~/.kube/config',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-n, --namespace <name>', "the operator's own namespace", process.env['POD_NAMESPACE'] ?? names.namespace)
    .option(
      '--image <name>',
      "the operator's own image, for failure detectors",
      process.env['DROVER_IMAGE'] ?? names.image,
    )
    .option('--host <address>', 'where servers listen; default 0.0.0.0 in a cluster, 127.0.0.1 outside')
    .option('--health-port <port>', 'for /healthz, /readyz and /metrics; 0: any free one', port, 8081)
    .option('--webhook-port <port>', "for the API server's questions; 0: any free one", port, 9443)
    .option('--webhook-host <name...>', 'further names and addresses that the self-made certificate is for', [])
    .option('--certificates <folder>', 'tls.crt and tls.key for the webhook; default: made by the operator itself')
    .option(
      '--lease-duration <seconds>',
      'after this long without a sign of the leader another replica takes over',
      wholeSeconds,
      15,
    )
    .addOption(
      new Option(
        '--leaving-taint <key>',
        "a taint by which others say that a node is about to go: it asks for every guarded pod there; may be given again. Karpenter's is karpenter.sh/disrupted, cluster-autoscaler's ToBeDeletedByClusterAutoscaler",
      )
        .argParser(oneMoreTaint)
        .default([], 'none'),
    )
    .option(
      '--no-foreign-webhook',
      "do not cover guarded pods that somebody else's disruption budget selects: while Drover is down, that budget alone decides about them",
    )
    .addOption(new Option('--log-level <level>', 'what is logged').choices(logLevels).default('info'))
    .addHelpText('after', example)
    .action(run);
}

function wholeSeconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3600)
    throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 3600.');
  return value;
}

async function run(options: Options): Promise<void> {
  const logger = jsonLogger({ clock: realClock, level: options.logLevel });
  const connection = await connect(options, realClock, process.env);
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      logger.info('told to stop', { signal: name });
      stop.abort(new Error(`told to stop by ${name}`));
    });
  }
  const inCluster = process.env['KUBERNETES_SERVICE_HOST'] !== undefined && options.kubeconfig === undefined;
  const end = await runOperator(
    {
      connection,
      clock: realClock,
      random: realRandom,
      logger,
      namespace: options.namespace,
      image: options.image,
      identity: `${process.env['POD_NAME'] ?? hostname()}_${randomUUID()}`,
      podName: process.env['POD_NAME'],
      leaseDuration: seconds(options.leaseDuration),
      host: options.host ?? (inCluster ? '0.0.0.0' : '127.0.0.1'),
      healthPort: options.healthPort,
      webhookPort: options.webhookPort,
      certificateFolder: options.certificates,
      webhookHosts: options.webhookHost,
      leavingTaints: options.leavingTaint,
      coversForeign: options.foreignWebhook,
    },
    stop.signal,
  );
  // The process must not outlive its end: a reconcile that does not heed its signal would go on.
  process.exit(end === 'stopped' ? 0 : exitCodes.failed);
}
