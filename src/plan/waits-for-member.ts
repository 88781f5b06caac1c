import { isFalse, isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { holdsCopies } from '../rules/drained.ts';
import { askAbout, quorumsOf } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';

/**
 * Emptied down to its seat in a quorum, which it cannot pass on while another member is missing. None of its data is on the move any more. Where an engine
 * lists no copies at all, that is not known.
 */
export function waitsForMember(survey: Survey, group: ProcessGroup): boolean {
  const question = askAbout('replacement', survey, group);
  const { processes, own } = question;
  if (processes.length === 0 || !processes.every(({ excluded }) => isTrue(excluded))) return false;
  if (survey.engine.heldBy.size === 0 || holdsCopies(question)) return false;
  return quorumsOf(question).some(({ members }) =>
    members.some(({ process, responds }) => !own.has(process) && isFalse(responds)),
  );
}
