import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Survey } from '../rules/survey.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import { reasonToLeaveAlone } from './quiet-engine.ts';
import { seatOf } from './quorum-seat.ts';
import type { StepBuilder } from './step.ts';

/** A member of a quorum whose members are moved gives up its seat, whether or not its data is moved. Whether it has one to give up. */
export function giveUpSeat(survey: Survey, group: ProcessGroup, step: StepBuilder): boolean {
  const seat = seatOf(survey, group);
  if (seat === undefined || group.removingAt !== null) return false;
  const hold =
    reasonToLeaveAlone(survey, group.id, `keeps its place in ${seat.quorum.name} for now`) ??
    reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, group.id, 'HandOff'));
  if (hold !== undefined) step.hold(group.id, hold);
  else {
    const reason = reasons.isCoordinator({ group: group.id, quorum: seat.quorum.name });
    step.act({ act: 'hand-off', group: group.id, processes: seat.processes, reason });
  }
  return true;
}
