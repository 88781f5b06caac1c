import { Command } from 'commander';
import { nodeDrain } from '../api/kinds.ts';
import { KubeClient } from '../kube/client.ts';
import { jsonCodec } from '../kube/codec.ts';
import { ConfigurationError, isNotFound } from '../kube/errors.ts';
import { nodeTransport } from '../kube/node-transport.ts';
import type { KubeObject } from '../kube/object.ts';
import { realRandom } from '../kube/random.ts';
import { realClock } from '../kube/real-clock.ts';
import { nodes } from '../kube/resources.ts';
import { list } from '../model/phrases.ts';
import { nodeDrains } from '../operator/lock/begun-drains.ts';
import { uncordonAnyway } from '../operator/node-drain/cordon.ts';
import { connect } from './connection.ts';
import { chosenNodes } from './drain-request.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';

interface Options {
  readonly selector?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

const example = `
Example:
  $ drover uncordon n1 n2

A NodeDrain that is under way and has none but these nodes is taken back. One that has others, too, or has drained others and keeps them
cordoned, is left alone, and so are the nodes.
Exit codes: 0 they can take pods again; 1 could not do it, or another drain has them; 2 called wrongly.`;

/** `drover uncordon`: gives nodes back, and takes back the drains that would cordon them again. */
export function uncordonCommand(): Command {
  return new Command('uncordon')
    .description('Lets nodes take pods again, and takes back the drains of them that are under way.')
    .argument('[nodes...]', 'the nodes')
    .option('-l, --selector <labels>', 'the nodes, by their labels instead')
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
  const transport = nodeTransport(await connect(options, realClock, process.env));
  const { signal } = new AbortController();
  try {
    const client = new KubeClient({ transport, clock: realClock, random: realRandom });
    const chosen = await chosenNodes(client, names, options.selector, signal);
    const tell = (line: string) => void (options.output === 'text' && process.stdout.write(`${line}\n`));
    const done = await uncordon(client, chosen, tell, signal);
    if (options.output !== 'text') process.stdout.write(`${format(options.output, done, () => '')}\n`);
  } finally {
    transport.close();
  }
}

/** What was done, and how each node was when somebody asked for it. */
interface Uncordoned {
  readonly takenBack: readonly string[];
  readonly nodes: readonly { readonly name: string; readonly was: 'cordoned' | 'uncordoned' }[];
}

/** Takes the drains of these nodes back, and uncordons them. Throws `ConfigurationError` where nothing was done, because a drain has others, too. */
export async function uncordon(
  client: KubeClient,
  chosen: readonly string[],
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<Uncordoned> {
  const { takenBack } = drainsOf(chosen, await openDrains(client, signal));
  const cordoned = await cordonedOf(client, chosen, signal);
  for (const name of takenBack) {
    await client.delete(nodeDrains, { name }, { signal });
    tell(`nodedrain/${name} deleted: it was under way`);
  }
  for (const name of chosen) {
    const isNews = (await uncordonAnyway(client, name, signal)) || cordoned.has(name);
    tell(`node/${name} ${isNews ? 'uncordoned' : 'already uncordoned'}`);
    if (isNews) cordoned.add(name);
  }
  return { takenBack, nodes: chosen.map((name) => ({ name, was: cordoned.has(name) ? 'cordoned' : 'uncordoned' })) };
}

/** As people find them: once its drain is taken back the operator uncordons a node, and may be faster than whoever took it back. */
async function cordonedOf(client: KubeClient, names: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const cordoned = new Set<string>();
  for (const name of names) {
    const node = await client.find(nodes, { name }, { signal });
    if (node?.spec?.unschedulable === true) cordoned.add(name);
  }
  return cordoned;
}

/** A drain that is under way. */
export interface OpenDrain {
  readonly name: string;
  /** Those that it is not done with. */
  readonly nodes: readonly string[];
  /** Those that it has drained and keeps cordoned: whatever is done to them now, pods must not come back to them meanwhile. */
  readonly kept: readonly string[];
}

/**
 * Which drains are taken back with these nodes. Throws `ConfigurationError` where a drain has others, too: it would cordon these again, or, taken back,
 * uncordon those.
 */
export function drainsOf(
  nodes: readonly string[],
  drains: readonly OpenDrain[],
): { readonly takenBack: readonly string[] } {
  const concerned = drains.filter((drain) => drain.nodes.some((node) => nodes.includes(node)));
  for (const { name, nodes: all, kept } of concerned) {
    const others = [...all, ...kept].filter((node) => !nodes.includes(node));
    if (others.length === 0) continue;
    const what = `NodeDrain ${name} has ${list(others, 5)}, too`;
    const wayOut = `kubectl delete nodedrain ${name}, which uncordons all of them`;
    throw new ConfigurationError(`${what}: name all its nodes, or take it back with ${wayOut}`);
  }
  return { takenBack: concerned.map(({ name }) => name) };
}

interface Raw extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

async function openDrains(client: KubeClient, signal: AbortSignal): Promise<readonly OpenDrain[]> {
  const codec = jsonCodec<Raw, OpenDrain>(({ metadata, spec, status }) => {
    const seen = nodeDrain.status.safeParse(status ?? {}).data;
    const open = (seen?.nodes ?? []).filter(({ phase }) => phase === 'Pending' || phase === 'Draining');
    const asked = seen?.nodes.length === 0 ? (nodeDrain.spec.safeParse(spec).data?.nodes ?? []) : [];
    if (seen?.phase === 'Completed') return { name: metadata.name, nodes: [], kept: [] };
    const drained = (seen?.nodes ?? []).filter(({ phase }) => phase === 'Drained');
    const kept = nodeDrain.spec.safeParse(spec).data?.afterwards === 'Uncordon' ? [] : drained;
    const nodes = [...open.map(({ name }) => name), ...asked];
    return { name: metadata.name, nodes, kept: kept.map(({ name }) => name) };
  });
  try {
    return (await client.list(nodeDrains, codec, { signal })).items;
  } catch (error) {
    // Without the kind there are no drains.
    if (isNotFound(error)) return [];
    throw error;
  }
}
