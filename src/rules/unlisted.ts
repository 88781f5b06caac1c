import type { Finding } from './finding.ts';
import { holds, unknownWhether } from './finding.ts';
import type { Question } from './question.ts';

/** One sentence for all that nobody can know of a process group that the engine does not list. */
export const notListed: Finding = unknownWhether('what it holds: the engine does not list it');

/**
 * The engine never had anything of it: no address of it is on record, so it never reported, and nothing that could report now runs. Without this, a
 * process group whose pod found no place, or whose image is broken, could never be taken away again.
 */
export const neverRan = ({ group: { addresses, pod }, processes }: Pick<Question, 'group' | 'processes'>): boolean =>
  processes.length === 0 && addresses.length === 0 && (pod === null || pod.phase === 'Pending' || pod.crashing);

/** Nothing of it can be with the engine any more: verified drained and no longer listed, or never there. */
export const holdsNothing = (question: Question): boolean =>
  neverRan(question) || (question.processes.length === 0 && question.group.drainedAt !== null);

/** The answer to every question about what its processes hold or lead, where the engine lists none; undefined where it does. */
export function ofUnlisted(question: Question): Finding | undefined {
  if (question.processes.length > 0) return undefined;
  return holdsNothing(question) ? holds : notListed;
}
