import { isFalse, isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { holdsCopies } from '../rules/drained.ts';
import { askAbout, quorumsOf } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { EvacuationBudget } from './evacuation-budget.ts';
import { missingSince } from './zones-for-copies.ts';

/**
 * None of its data is on the move, and it cannot go on before this one, which has failed, is replaced: counted as in flight, it and the failed one would
 * hold each other for ever.
 */
export const waitsForFailed = (survey: Survey, group: ProcessGroup, failed: ProcessGroup): boolean =>
  waitsForMember(survey, group, failed) || waitsForServing(survey, group, failed);

/**
 * Emptied down to its seat in a quorum, which it cannot pass on while the other one is missing there. Where an engine lists no copies at all, that
 * is not known.
 */
function waitsForMember(survey: Survey, group: ProcessGroup, failed: ProcessGroup): boolean {
  const question = askAbout('replacement', survey, group);
  const { processes } = question;
  if (processes.length === 0 || !processes.every(({ excluded }) => isTrue(excluded))) return false;
  if (survey.engine.heldBy.size === 0 || holdsCopies(question)) return false;
  const { own } = askAbout('replacement', survey, failed);
  return quorumsOf(question).some(({ members }) =>
    members.some(({ process, responds }) => own.has(process) && isFalse(responds)),
  );
}

/** It serves, and is not emptied yet because too few of its role do: the other one has been missing for too long to come back. */
function waitsForServing(survey: Survey, group: ProcessGroup, failed: ProcessGroup): boolean {
  if (group.role !== failed.role || missingSince(failed) === undefined) return false;
  if (group.evacuationAt !== null || missingSince(group) !== undefined) return false;
  return new EvacuationBudget(survey).take(group)?.code === reasons.successorNotUp.code;
}
