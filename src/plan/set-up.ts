import type { Step } from '../model/decision.ts';
import { reasons } from '../model/reasons.ts';
import type { SetUpWait } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { idle, StepBuilder } from './step.ts';

const waits = {
  coordinators: reasons.coordinatorsNotChosen,
  answer: reasons.setUpUnanswered,
  refused: reasons.setUpRefused,
} satisfies { readonly [wait in SetUpWait]: unknown };

/** What a new database waits for that was never up. Whoever observes sets it up; here is only said why it is not there yet. */
export function setUp({ snapshot: { cluster }, engine: { unreachable } }: Survey): Step {
  if (unreachable?.setUpWaitsFor === undefined) return idle;
  const { unreachable: why, since, setUpWaitsFor } = unreachable;
  return new StepBuilder('set-up').hold(null, waits[setUpWaitsFor]({ subject: cluster, why, since })).build();
}
