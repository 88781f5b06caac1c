import { unknown } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { PredicateName } from '../model/role-rules.ts';
import { drained } from './drained.ts';
import { fullyReplicated, noOtherZoneDown, oneMoreZoneMayFail } from './fault-tolerance.ts';
import type { Finding } from './finding.ts';
import { fails, holds, unknownWhether } from './finding.ts';
import { follower, leadsNoUnit, ledUnitsHaveInSyncFollower, noAttachedUnitLed } from './leadership.ts';
import type { Question } from './question.ts';
import { leaderResponds, notQuorumLeader, otherFollowerResponds, quorumSurvives } from './quorum.ts';
import { restOfRoleServes } from './service.ts';
import { writeConcernSurvives } from './write-concern.ts';

type Predicate = (question: Question) => Finding;

/** One implementation for each question that a rule can ask. */
const predicates: { readonly [name in PredicateName]: Predicate } = {
  always: () => holds,
  never,
  drained,
  'leads-no-unit': leadsNoUnit,
  'led-units-have-in-sync-follower': ledUnitsHaveInSyncFollower,
  'write-concern-survives': writeConcernSurvives,
  'not-quorum-leader': notQuorumLeader,
  'leader-responds': leaderResponds,
  'other-follower-responds': otherFollowerResponds,
  'quorum-survives': quorumSurvives,
  follower,
  'old-pod-gone': oldPodGone,
  'fully-replicated': fullyReplicated,
  'one-more-zone-may-fail': oneMoreZoneMayFail,
  'no-other-zone-down': noOtherZoneDown,
  'rest-of-role-serves': restOfRoleServes,
  'no-attached-unit-led': noAttachedUnitLed,
};

/** Asked without the engine: their answer does not depend on it. */
const needNoEngine: ReadonlySet<PredicateName> = new Set<PredicateName>(['always', 'never']);

/** The answer to one question. An engine that cannot be read answers nothing. */
export function ask(predicate: PredicateName, question: Question): Finding {
  const out = needNoEngine.has(predicate) ? undefined : outOfReach(question);
  return out ?? predicates[predicate](question);
}

/** The finding for everything that the engine would have to be asked, where it cannot be. */
export function outOfReach({ survey, group }: Question): Finding | undefined {
  const { unreachable } = survey.engine;
  if (unreachable === undefined) return undefined;
  const { unreachable: why, since } = unreachable;
  return fails(reasons.engineUnreachable({ subject: `${group.id} stays`, why, since }));
}

function never({ about, group }: Question): Finding {
  const said = { group: group.id, role: group.role };
  return { finding: 'never', reason: about === 'eviction' ? reasons.neverEvicted(said) : reasons.neverReplaced(said) };
}

/** The pod object is gone, and the engine sees nothing of it any more: after a forced deletion it may still run on a node out of reach. */
function oldPodGone({ group, processes }: Question): Finding {
  const present = group.pod !== null || processes.some(({ responds }) => responds === true);
  if (present) return fails(reasons.oldPodPresent({ group: group.id }));
  const doubtful = processes.some(({ responds }) => responds === unknown);
  return doubtful ? unknownWhether('whether its process still runs') : holds;
}
