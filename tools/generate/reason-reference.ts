import { reasons } from '../../src/model/reasons.ts';
import { generatedNotice, type Output } from './output.ts';

const intro = `Whatever waits has a reason from this list: in the status, in the answer to an eviction, in events, and in the output of the command
line. The code is for programs and never changes its meaning; the sentence is for people.`;

/** Every reason of the catalogue, one section each. */
export function reasonReference(): Output {
  return {
    path: 'docs/reference/reasons.md',
    content: () => {
      const sections = Object.values(reasons)
        .map((entry) => ({ code: entry.code, text: section(entry) }))
        .sort((left, right) => (left.code < right.code ? -1 : 1));
      return `<!-- ${generatedNotice} -->\n\n# Reasons\n\n${intro}\n\n${sections.map(({ text }) => text).join('\n\n')}\n`;
    },
  };
}

function section({ code, meaning, liftedBy, saysExample }: Entry): string {
  return `## ${code}\n\n${meaning}\n\n> ${saysExample()}\n\nLifted by: ${liftedBy}.`;
}

/** What every entry has, whatever its evidence is. */
type Entry = Pick<(typeof reasons)[keyof typeof reasons], 'code' | 'meaning' | 'liftedBy' | 'saysExample'>;
