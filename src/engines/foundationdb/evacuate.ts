import { unknown } from '../../model/known.ts';
import type { Target } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { exclusionWord } from './address.ts';
import { exclusionsOf } from './exclusions.ts';
import type { Session } from './session.ts';
import type { Status } from './status.schema.ts';
import { wordsToExclude } from './words-to-exclude.ts';

/**
 * Tells the database to empty a process group. Never waits for that: the blocking `exclude` returns at once for a locality that nobody has,
 * so its return would prove nothing. What is on the list already is not sent again; what was sent is looked for on the list.
 */
export async function evacuate(session: Session, target: Target, signal: AbortSignal): Promise<void> {
  if (target.units !== undefined)
    throw new EngineRefused(
      `FoundationDB cannot empty ${target.group} of some units: a process leaves with all that it holds`,
    );
  const before = await session.statusOfAvailable(signal);
  const missing = notOnList(wordsToExclude(target, before), before);
  if (missing.length === 0) return;
  await session.tell(['exclude', 'no_wait', ...missing], signal, 'most');
  const after = await session.status(signal);
  // While the database recovers, which an exclusion often makes it do, it does not tell its configuration.
  const lost = exclusionsOf(after) === unknown ? [] : notOnList(missing, after);
  if (lost.length > 0)
    throw new EngineUnreachable(
      `fdbcli took the exclusion of ${target.group}, and ${lost.join(', ')} is not on the list`,
    );
}

function notOnList(words: readonly string[], status: Status): readonly string[] {
  const exclusions = exclusionsOf(status);
  if (exclusions === unknown) return words;
  const present = new Set(
    exclusions.map((exclusion) => (exclusion.by === 'address' ? exclusionWord(exclusion.address) : exclusion.word)),
  );
  return words.filter((word) => !present.has(word));
}
