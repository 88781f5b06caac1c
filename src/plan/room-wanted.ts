import type { StatusRecord } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { Room } from './room.ts';
import { shortages } from './shortages.ts';
import { reasonAgainstSuccessor } from './successor-held.ts';

/**
 * The process groups whose successors would be added now. `records` are what would be recorded if nothing were rationed: whoever is only
 * about to be marked wants room already, and whoever is held up by something else wants none yet.
 */
export function roomWanted(snapshot: Snapshot, records: readonly StatusRecord[]): readonly ProcessGroup[] {
  const ungrown = applyRecords(
    snapshot,
    records.filter(({ record }) => record !== 'group-added'),
  );
  const survey = surveyOf(ungrown);
  const room = new Room(survey);
  return shortages(survey).flatMap(({ waiting }) =>
    waiting.filter((group) => reasonAgainstSuccessor(survey, group, room) === undefined),
  );
}
