import { readFileSync } from 'node:fs';

/** Which lines a how-to quotes as the output of a command that begins so, and this output does not have. A quote may leave lines out. */
export function unsaid(howTo: string, command: string, output: string): readonly string[] {
  const text = readFileSync(`docs/how-to/${howTo}.md`, 'utf8');
  const blocks = [...text.matchAll(/^```\n([^`]+)^```$/gm)].map(([, block = '']) => block.trimEnd().split('\n'));
  const quoted = blocks.find(([first = '']) => first.startsWith(`$ ${command}`))?.slice(1);
  if (quoted === undefined) return [`docs/how-to/${howTo}.md quotes nothing of ${command}`];
  const said = new Set(output.split('\n'));
  return quoted.filter((line) => !said.has(line));
}
