import { Command, InvalidArgumentError } from 'commander';
import { KubeClient } from '../kube/client.ts';
import { nodeTransport } from '../kube/node-transport.ts';
import { realRandom } from '../kube/random.ts';
import { realClock } from '../kube/real-clock.ts';
import { list } from '../model/phrases.ts';
import type { Detection } from '../operator/detect/detect.ts';
import { detect } from '../operator/detect/detect.ts';
import { shippedEngines } from '../operator/engines.ts';
import { connect } from './connection.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { plain } from './plain.ts';
import { exitCodes } from './run-command.ts';

interface Options {
  readonly cluster: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

const example = `
Example:
  $ drover detect --cluster db/orders -o json

Exit codes: 0 looked, whether anything is missing or not; 1 could not look, or the engine does not answer; 2 called wrongly.`;

/** `drover detect`: what a cluster's failure detector runs. Writes nothing but one annotation, and that only where something is missing. */
export function detectCommand(): Command {
  return new Command('detect')
    .description(
      'Looks whether processes of a StatefulCluster are missing; if so, annotates it, so that the operator looks at once.',
    )
    .requiredOption('--cluster <namespace/name>', 'the StatefulCluster', clusterKey)
    .option(
      '--kubeconfig <file>',
      'how to reach the API server; default KUBECONFIG, the own cluster, or ~/.kube/config',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

function clusterKey(text: string): string {
  if (!/^[^/\s]+\/[^/\s]+$/.test(text)) throw new InvalidArgumentError('It must be namespace/name, such as db/orders.');
  return text;
}

async function run({ cluster, output, ...options }: Options): Promise<void> {
  const transport = nodeTransport(await connect(options, realClock, process.env));
  try {
    const client = new KubeClient({ transport, clock: realClock, random: realRandom });
    const engines = shippedEngines({ clock: realClock, client });
    const detection = await detect({ client, clock: realClock, engines }, cluster, new AbortController().signal);
    process.stdout.write(`${format(output, detection, () => detectionText(detection))}\n`);
    if (detection.engine === 'silent') process.exitCode = exitCodes.failed;
  } finally {
    transport.close();
  }
}

/** What was found, in a few plain lines. */
export function detectionText({ cluster, at, missing, engine, why }: Detection): string {
  const lines = missing.map((one) => `${one.group}: ${list(one.missing, 10)}`);
  const annotated = `${cluster} was annotated at ${at}: something of it is missing`;
  const silence = engine === 'silent' ? `the engine of ${cluster} does not answer: ${why ?? ''}` : undefined;
  const nothing = engine === 'answers' ? `nothing of ${cluster} is missing` : `no pod of ${cluster} is missing`;
  const found = missing.length === 0 ? [nothing] : [annotated, ...lines];
  return [...found, ...(silence === undefined ? [] : [silence])].map(plain).join('\n');
}
