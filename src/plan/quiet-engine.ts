import type { ProcessGroupId } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Seconds } from '../model/time.ts';
import { dueAt, instant, seconds } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';

/** After a recovery the engine is left alone for so long before data is moved away. */
export const quietBeforeEvacuation = seconds(120);
/** Including again can start a recovery of its own and is never urgent, so it waits longer. */
export const quietBeforeInclusion = seconds(600);

const mostGenerations = 10;

/** Why the engine must not be told to move anything at this moment; undefined: it may be. `what` completes the sentence that `group` begins. */
export function reasonToLeaveAlone(
  { snapshot, engine }: Survey,
  group: ProcessGroupId,
  what: string,
  quiet: Seconds = quietBeforeEvacuation,
): Reason | undefined {
  const subject = `${group} ${what}`;
  if (engine.unreachable !== undefined) {
    return reasons.engineUnreachable({ subject, why: engine.unreachable.unreachable, since: engine.unreachable.since });
  }
  if (engine.topology === undefined) return undefined;
  const { observedAt, health } = engine.topology;

  if (health.available === unknown)
    return reasons.factUnknown({ group, missing: 'whether the engine serves requests' });
  if (!health.available) return reasons.engineUnavailable({ subject });

  const generations = health.activeGenerations;
  if (generations === unknown) return reasons.factUnknown({ group, missing: 'how many log generations are active' });
  if (generations !== null && generations > mostGenerations) {
    return reasons.manyGenerations({ subject, generations, most: mostGenerations });
  }

  const sinceRecovery = health.secondsSinceRecovery;
  if (sinceRecovery === unknown)
    return reasons.factUnknown({ group, missing: 'when the engine last recovered, or whether it has yet' });
  if (sinceRecovery === null) return undefined;
  const recoveredAt = instant(Math.round(observedAt - sinceRecovery * 1000));
  const due = dueAt(recoveredAt, quiet);
  return due !== undefined && snapshot.now < due ? reasons.recentRecovery({ subject, recoveredAt, due }) : undefined;
}
