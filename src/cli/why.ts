import { Command, InvalidArgumentError } from 'commander';
import { KubeClient } from '../kube/client.ts';
import { nodeTransport } from '../kube/node-transport.ts';
import { realRandom } from '../kube/random.ts';
import { realClock } from '../kube/real-clock.ts';
import { list } from '../model/phrases.ts';
import type { Why } from './ask-why.ts';
import { askWhy } from './ask-why.ts';
import { connect } from './connection.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { plain } from './plain.ts';

interface Options {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

const example = `
Example:
  $ drover why pod/orders-storage-3 -n db

Exit codes: 0 it may go now; 3 it would wait; 4 it will never go by itself; 1 could not ask; 2 called wrongly.`;

/** `drover why pod/NAME`: whether a pod may go, and if not, what holds it. Changes nothing. */
export function whyCommand(): Command {
  return new Command('why')
    .description('Says whether a pod could be evicted now, and if not, what holds it. Changes nothing.')
    .argument('<pod>', 'pod/NAME, or NAME', podName)
    .option('-n, --namespace <name>', "its namespace; default: the context's, or default")
    .option(
      '--kubeconfig <file>',
      'how to reach the API server; default KUBECONFIG, the own cluster, or ~/.kube/config',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

function podName(text: string): string {
  const found = /^(?:pods?\/)?([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(text)?.[1];
  if (found === undefined) throw new InvalidArgumentError('It must be pod/NAME, such as pod/orders-storage-3.');
  return found;
}

const exitCodes: { readonly [answer in Why['answer']]: number } = {
  goes: 0,
  unguarded: 0,
  waits: 3,
  never: 4,
  unanswered: 3,
  'foreign-budget': 3,
  'several-budgets': 4,
};

async function run(name: string, { namespace, output, ...options }: Options): Promise<void> {
  const connection = await connect(options, realClock, process.env);
  const transport = nodeTransport(connection);
  try {
    const client = new KubeClient({ transport, clock: realClock, random: realRandom });
    const where = namespace ?? connection.namespace ?? 'default';
    const why = await askWhy(client, { namespace: where, name }, new AbortController().signal);
    process.stdout.write(`${format(output, why, () => whyText(why))}\n`);
    process.exitCode = exitCodes[why.answer];
  } finally {
    transport.close();
  }
}

type Headline = string | ((budgets: readonly string[]) => string);

const headlines: { readonly [answer in Why['answer']]: Headline } = {
  goes: 'may go now',
  unguarded: 'is not guarded: nothing of Drover holds it',
  waits: 'may not go yet',
  never: 'will not go by itself: a person has to decide',
  unanswered: 'is locked, and Drover did not say why: is it running?',
  'foreign-budget': ([name]) =>
    `is held by ${name === undefined ? 'a disruption budget' : `the disruption budget ${name}`}, which is not Drover’s`,
  'several-budgets': (budgets) =>
    `can be evicted by nobody: ${budgets.length === 0 ? 'several disruption budgets select it' : `the disruption budgets ${list(budgets, 5)} all select it`}, and the API server takes one at most`,
};

/** For people: a headline, and a line for each reason. */
export function whyText({ pod, node, answer, reasons, budgets }: Why): string {
  const where = node === null ? '' : ` on ${node}`;
  const headline = headlines[answer];
  const first = typeof headline === 'string' ? headline : headline(budgets);
  return [`${pod}${where} ${plain(first)}`, ...reasons.map((reason) => `  ${plain(reason)}`)].join('\n');
}
