import type { ProcessGroup } from '../model/process-group.ts';
import type { Question } from './question.ts';
import { roleSpecOf } from './question.ts';

/** Whether the data goes with the pod to another node, so that it need not be evacuated for a drain. */
export function dataTravels(question: Question): boolean {
  const told = roleSpecOf(question)?.dataTravels ?? 'auto';
  return told === 'auto' ? claimTravels(question.group) : told === 'always';
}

/** Only an explicit `always` relaxes a role's own rule; what was read off the volume does not. */
export const toldToTravel = (question: Question): boolean => roleSpecOf(question)?.dataTravels === 'always';

/** A claim that is missing or not readable counts as tied. */
const claimTravels = ({ claim }: ProcessGroup): boolean => claim !== null && claim !== 'none' && claim.travels;
