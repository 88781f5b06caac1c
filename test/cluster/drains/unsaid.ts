import { readFileSync } from 'node:fs';

const varying = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|about \d+ \w+ left|\d+/g;

/** Nodes, uids and how far something is differ from run to run. */
export const numbersAside = (line: string): string => line.replaceAll(varying, '#');

/**
 * Which lines a how-to quotes as the output of this command, or else of one that begins so, and this output does not have. A quote may leave lines
 * out. `alike` takes out of a line what differs between runs.
 */
export function unsaid(
  howTo: string,
  command: string,
  output: string,
  alike: (line: string) => string = (line) => line,
): readonly string[] {
  const text = readFileSync(`docs/how-to/${howTo}.md`, 'utf8');
  const quotes = [...text.matchAll(/^```\n\$ ([^`]+)^```$/gm)]
    .flatMap(([, block = '']) => block.trimEnd().split('\n$ '))
    .map((quote) => quote.split('\n'));
  const found = quotes.find(([first]) => first === command) ?? quotes.find(([first = '']) => first.startsWith(command));
  const quoted = found?.slice(1);
  if (quoted === undefined) return [`docs/how-to/${howTo}.md quotes nothing of ${command}`];
  const said = new Set(output.split('\n').map(alike));
  return quoted.filter((line) => !said.has(alike(line)));
}
