import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import type { Room } from './room.ts';

/** Why one that leaves gets no successor yet: the engine says nothing, or there is no room. undefined: nothing stands against it. */
export const reasonAgainstSuccessor = (survey: Survey, group: ProcessGroup, room: Room): Reason | undefined =>
  reasonEngineIsSilent(survey, group) ?? room.reasonAgainst(group);

/** A replacement is not begun while nobody knows what it would meet. A change of the spec is, because it may be what brings the engine back. */
function reasonEngineIsSilent({ engine }: Survey, { id, removal }: ProcessGroup): Reason | undefined {
  if (engine.unreachable === undefined || removal?.cause === 'Misconfigured') return undefined;
  const { unreachable: why, since } = engine.unreachable;
  return reasons.engineUnreachable({ subject: `${id} gets no successor yet`, why, since });
}
