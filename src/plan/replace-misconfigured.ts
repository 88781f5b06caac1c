import type { Step } from '../model/decision.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { InFlight } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { changesByReplacement } from './pod-changes.ts';
import { reasonNeverToReplace } from './replaceable.ts';
import { Room } from './room.ts';
import { idle, StepBuilder } from './step.ts';

/**
 * Marks the process groups whose spec changed in a way that a replacement has to follow, by id, as many as
 * `automationOptions.maxConcurrentReplacements` leaves free. The engine is not asked: a spec that keeps it from coming up can be mended.
 */
export function replaceMisconfigured(survey: Survey): Step {
  const { ownsPods, maxConcurrentReplacements } = survey.snapshot.spec;
  if (!ownsPods) return idle;

  const step = new StepBuilder('replace-misconfigured');
  const inFlight = new InFlight(survey, maxConcurrentReplacements);
  const room = new Room(survey);
  for (const group of inOrder(survey.snapshot.processGroups)) {
    // A conflict with the cancel list is reported there.
    if (group.removal !== null || isHeldByCancel(survey, group.id)) continue;
    const changes = changesByReplacement(survey, group);
    if (changes.length === 0) continue;

    const full = inFlight.full();
    const hold =
      reasonNeverToReplace(survey, group) ??
      (full && reasons.misconfiguredCap({ group: group.id, ...full })) ??
      room.reasonAgainst(group);
    if (hold !== undefined) {
      step.hold(group.id, hold);
      continue;
    }
    inFlight.take();
    room.take(group);
    const reason = reasons.misconfigured({ group: group.id, changes });
    step.record({ record: 'marked', group: group.id, cause: 'Misconfigured', withoutExclusion: false, reason });
  }
  return step.build();
}
