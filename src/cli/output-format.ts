import { Option } from 'commander';
import { stringify } from 'yaml';

const formats = ['text', 'json', 'yaml'] as const;
export type OutputFormat = (typeof formats)[number];

/** `-o`, as kubectl has it. */
export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'how to print it').choices(formats).default('text');

/** The same thing for people or for programs. */
export function format(as: OutputFormat, forPrograms: unknown, forPeople: () => string): string {
  switch (as) {
    case 'json':
      return JSON.stringify(forPrograms, null, 2);
    case 'yaml':
      return stringify(forPrograms, { lineWidth: 120, aliasDuplicateObjects: false }).trimEnd();
    case 'text':
      return forPeople();
  }
}
