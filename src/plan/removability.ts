import type { Answer } from '../model/decision.ts';
import { isFalse, unknown } from '../model/known.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { RoleRules } from '../model/role-rules.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';
import type { EngineHealth } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { mayBeEvicted, mayBeReplaced } from '../rules/verdict.ts';
import { isTargeted } from './listed.ts';
import type { Marked } from './marked.ts';
import { seatOf } from './quorum-seat.ts';
import { rulesOf } from './role-of.ts';
import { predicatesOf } from './rule-predicates.ts';

/** A process that does not answer may be back in a moment; after so long it is taken for dead. */
const takenForDead = seconds(300);

/** Whether a marked process group may be removed with its volume, and why. */
export type Removability = { readonly may: 'go'; readonly because: Reason } | Kept;

export interface Kept {
  readonly may: 'stay';
  /** Empty where the steps that empty it say why. */
  readonly reasons: readonly Reason[];
  readonly again: Instant | undefined;
}

const stay = (...why: readonly Reason[]): Kept => ({ may: 'stay', reasons: why, again: undefined });

/**
 * A process group may be removed when the engine confirmed that it is drained; or, where its role does not ask for that or it is dead, when
 * its role's replace rule holds and every unit and quorum survives without it; or when a person said that it goes undrained. The engine must
 * be available, fully replicated and as fault tolerant as it is set to be, the last case aside, and it must sit in no quorum whose members are moved, in any case.
 */
export function removability(survey: Survey, group: Marked): Removability {
  const { engine, snapshot } = survey;
  const subject = `${group.id} is not removed yet`;
  if (engine.topology === undefined) {
    const { unreachable: why = 'no answer', since = snapshot.now } = engine.unreachable ?? {};
    return stay(reasons.engineUnreachable({ subject, why, since }));
  }
  const ground = groundFor(survey, group);
  if (ground.may === 'stay') return ground;

  const seat = seatOf(survey, group);
  if (seat !== undefined) return stay(reasons.isCoordinator({ group: group.id, quorum: seat.quorum.name }));
  const health = group.removal.withoutExclusion ? undefined : reasonInHealth(engine.topology.health, group, subject);
  if (health !== undefined) return stay(health);
  if (isTargeted(snapshot.spec.buggify.blockRemoval, group.id))
    return stay(reasons.removalBlocked({ group: group.id }));
  return ground;
}

/** What allows it to go, as far as its own data is concerned. */
function groundFor(survey: Survey, group: Marked): Removability {
  const { id } = group;
  if (group.removal.withoutExclusion) return { may: 'go', because: reasons.requestedWithoutExclusion({ group: id }) };
  if (group.drainedAt !== null) return { may: 'go', because: reasons.removed({ group: id, because: 'it is drained' }) };
  const rules = rulesOf(survey, group);
  if (rules === undefined) return stay(reasons.noSuchRole({ group: id, role: group.role }));
  if (!rules.drainedBeforeRemoval) return unlessMissed(survey, group, rules, 'its role is not drained');

  const deadSince = takenForDeadAt(survey, group);
  if (deadSince === undefined || survey.snapshot.now < deadSince) return { ...stay(), again: deadSince };
  return unlessMissed(survey, group, rules, 'it is dead');
}

function unlessMissed(survey: Survey, group: Marked, rules: RoleRules, because: string): Removability {
  const answer = mayBeLost(survey, group, rules);
  if (answer.kind !== 'allow') return stay(...answer.reasons);
  const why = `${because}, and everything survives without it`;
  return { may: 'go', because: reasons.removed({ group: group.id, because: why }) };
}

/**
 * Whether everything survives without it. A successor that takes over the identity asks for the old pod to be gone: until it is, taking it
 * away is an eviction like any other.
 */
export function mayBeLost(survey: Survey, group: Marked, rules: RoleRules): Answer {
  return group.pod !== null && asksForOldPodGone(rules) ? mayBeEvicted(survey, group) : mayBeReplaced(survey, group);
}

export const asksForOldPodGone = ({ mayBeReplaced }: RoleRules): boolean =>
  predicatesOf(mayBeReplaced).includes('old-pod-gone');

/** When a process group whose processes all fail to answer is taken for dead. One that the engine does not list is verified to be drained. */
function takenForDeadAt({ engine }: Survey, group: Marked): Instant | undefined {
  const processes = engine.processesOf.get(group.id) ?? [];
  if (processes.length === 0 || !processes.every(({ responds }) => isFalse(responds))) return undefined;
  const missing = group.conditions.find(({ type }) => type === 'MissingProcesses');
  return missing === undefined ? undefined : dueAt(missing.since, takenForDead);
}

function reasonInHealth(
  { available, fullyReplicated, toleranceLacks: lacks }: EngineHealth,
  { id: group }: Marked,
  subject: string,
): Reason | undefined {
  if (isFalse(available)) return reasons.engineUnavailable({ subject });
  if (isFalse(fullyReplicated)) return reasons.notFullyReplicated({ subject });
  if (lacks !== unknown && lacks !== null && lacks.length > 0) return reasons.toleranceLacking({ subject, lacks });
  if (available === unknown) return reasons.factUnknown({ group, missing: 'whether the engine serves requests' });
  if (fullyReplicated === unknown)
    return reasons.factUnknown({ group, missing: 'whether the engine is fully replicated' });
  return lacks === unknown
    ? reasons.factUnknown({
        group,
        missing: 'whether the logs and coordinators are as fault tolerant as they should be',
      })
    : undefined;
}
