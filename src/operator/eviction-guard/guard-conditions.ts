import type { evictionGuardConditions } from '../../api/v1alpha1/eviction-guard.conditions.ts';
import { unknown } from '../../model/known.ts';
import { list } from '../../model/phrases.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Topology } from '../../model/topology.ts';
import { isUnreachable } from '../../model/topology.ts';
import type { LockState } from '../lock/lock-state.ts';
import { sayLock } from '../lock/say-lock.ts';
import type { JudgementOf } from '../status/conditions.ts';

type Definition = (typeof evictionGuardConditions)[number];

/** One answer about a guard. */
export type GuardJudgement<Type extends Definition['type'] = Definition['type']> = JudgementOf<
  Extract<Definition, { readonly type: Type }>
>;

/** Whether the API server refuses evictions by itself. `pods`: how many there are to refuse it for. */
export function lockedOf(lock: LockState, pods: number): GuardJudgement<'Locked'> {
  const type = 'Locked';
  const { reason, message } = sayLock(lock);
  if (lock.is !== 'locked') return { type, status: 'False', reason, message };
  if (pods > 0) return { type, status: 'True', reason, message };
  const nobody =
    'no pod of this namespace matches the selectors, so that nothing is guarded; compare them with the labels of the pods';
  return { type, status: 'False', reason: 'NoPods', message: nobody };
}

/** Nothing is asked of the engine of a guard whose pods another one has. */
export const notAsked: GuardJudgement<'Healthy'> = {
  type: 'Healthy',
  status: 'Unknown',
  reason: 'NotAsked',
  message: 'the engine is not asked, because another guard or cluster has the pods: see the condition Locked',
};

/** Whether the engine answers, and every process and pod is accounted for. */
export function healthyOf({ topology, processGroups }: Snapshot): GuardJudgement<'Healthy'> {
  const type = 'Healthy';
  if (isUnreachable(topology)) {
    const message = `the engine does not answer: ${topology.unreachable}`;
    return { type, status: 'Unknown', reason: 'EngineUnreachable', message };
  }
  const { available } = topology.health;
  if (available === unknown) {
    const message = 'the engine answers, and does not say whether it serves requests';
    return { type, status: 'Unknown', reason: 'EngineUnreachable', message };
  }
  if (!available) {
    return { type, status: 'False', reason: 'EngineUnavailable', message: 'the engine does not serve requests' };
  }
  return respondingOf(topology, processGroups);
}

function respondingOf({ processes }: Topology, groups: Snapshot['processGroups']): GuardJudgement<'Healthy'> {
  const type = 'Healthy';
  const silent = processes.filter(({ responds }) => responds === false).map(({ id }) => id);
  const listed = new Set(processes.map(({ group }) => group));
  const unlisted = groups.filter(({ id, pod }) => pod !== null && !listed.has(id)).map(({ id }) => id);
  const wrong = [
    ...(silent.length > 0 ? [`${list(silent.toSorted(), 10)} ${silent.length === 1 ? 'does' : 'do'} not respond`] : []),
    ...(unlisted.length > 0 ? [`the engine lists no process in ${list(unlisted.toSorted(), 10)}`] : []),
  ];
  if (wrong.length > 0) return { type, status: 'False', reason: 'ProcessesNotResponding', message: wrong.join('; ') };
  const unsure = processes.filter(({ responds }) => responds === unknown).map(({ id }) => id);
  if (unsure.length > 0) {
    const message = `the engine does not say whether ${list(unsure.toSorted(), 10)} responds`;
    return { type, status: 'Unknown', reason: 'ProcessesNotResponding', message };
  }
  return {
    type,
    status: 'True',
    reason: 'AllResponding',
    message: 'the engine answers, and all of its processes respond',
  };
}
