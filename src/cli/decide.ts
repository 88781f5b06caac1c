import { Command } from 'commander';
import { writeDecision } from '../api/snapshot/decision-file.ts';
import { readSnapshot } from '../api/snapshot/snapshot-file.ts';
import { decide } from '../decide.ts';
import { contradictionsIn } from '../model/contradictions.ts';
import type { Decision } from '../model/decision.ts';
import { decisionText } from './decision-text.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { plain } from './plain.ts';
import { readDocument, UnreadableDocument } from './read-document.ts';
import { exitCodes } from './run-command.ts';

const example = `
Examples:
  $ drover decide -f examples/snapshots/arangodb-dbserver-leads-shards.yaml
  $ drover decide -f snapshot.yaml -o json | jq '.verdicts[] | select(.eviction.kind != "allow")'

Exit codes: 0 decided, 2 the file is no good snapshot (each fault with its line and field).`;

/** `drover decide`: what Drover would say and do about a saved snapshot. Touches nothing. */
export function decideCommand(): Command {
  return new Command('decide')
    .description('Decides about a snapshot in a file: who may go, what to do next, what waits, and why.')
    .requiredOption('-f, --filename <file>', 'the snapshot, in YAML or JSON; - for standard input')
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

async function run({ filename, output }: { readonly filename: string; readonly output: OutputFormat }): Promise<void> {
  const { decision, faults } = await decideAbout(filename);
  if (decision === undefined) {
    process.stderr.write(`${faults.map(plain).join('\n')}\n`);
    process.exitCode = exitCodes.usage;
    return;
  }
  process.stdout.write(`${format(output, writeDecision(decision), () => decisionText(decision))}\n`);
}

/** The decision, or everything that is wrong with the file: one line each, `FILE:LINE: field: message`. */
type Decided =
  | { readonly decision: Decision; readonly faults?: never }
  | { readonly decision?: never; readonly faults: readonly string[] };

/** Decides about the snapshot in a file, or standard input for `-`. */
export async function decideAbout(filename: string): Promise<Decided> {
  const document = await readDocument(filename).catch((error: unknown) => {
    if (error instanceof UnreadableDocument) return error;
    throw error;
  });
  if (document instanceof UnreadableDocument) return { faults: [document.message] };

  const read = readSnapshot(document.value);
  const faults = read.faults ?? contradictionsIn(read.snapshot);
  if (read.snapshot !== undefined && faults.length === 0) return { decision: decide(read.snapshot) };
  return {
    faults: faults.map(
      ({ path, message }) => `${document.name}:${document.lineOf(path)}: ${[...fieldOf(path), message].join(': ')}`,
    ),
  };
}

/** As kubectl writes it: `processGroups[0].role`. The document as a whole has no name. */
function fieldOf(path: readonly (string | number)[]): readonly string[] {
  if (path.length === 0) return [];
  return [
    path.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`)).join(''),
  ];
}
