import type { ProcessGroupId } from '../../model/ids.ts';
import { EngineRefused } from '../engine.ts';

/** Neither blank nor `;` nor quote nor backslash: what fdbcli would take for the end of a word or of a command, and nothing like an option. */
const plain = /^[A-Za-z0-9_[][A-Za-z0-9_.:=/[\]-]*$/;

/**
 * The words of one command as the text for `--exec`, which fdbcli takes apart at blanks and semicolons. Throws `EngineRefused` for a word that
 * would not arrive as the one word that it is.
 */
export function commandOf(words: readonly string[]): string {
  const wrong = words.find((word) => !plain.test(word));
  if (wrong === undefined) return words.join(' ');
  throw new EngineRefused(`${JSON.stringify(wrong)} cannot be told to fdbcli: it is not one plain word`);
}

/** A process group by the locality that its processes are started with. */
export const localityWord = (group: ProcessGroupId): string => `locality_instance_id:${group}`;
