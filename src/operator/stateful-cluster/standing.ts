import { count, list } from '../../model/phrases.ts';
import type { ConditionType, ProcessGroup } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { isUnreachable } from '../../model/topology.ts';
import { inOrder } from '../../plan/in-order.ts';
import type { Judgement } from '../status/conditions.ts';

/** With one of these a process group is not up. */
const down: ReadonlySet<ConditionType> = new Set(['MissingProcesses', 'MissingPod', 'PodFailing', 'PodPending']);

/** Whether its pod runs and every process of it reports to the engine, as far as is on record. */
export const isUp = ({ conditions }: ProcessGroup): boolean => !conditions.some(({ type }) => down.has(type));

/** Whether the engine serves and every process group is up that the spec asks for. Those that leave are not asked for any more. */
export function readyOf({ topology, spec, processGroups }: Snapshot): Judgement<'Ready'> {
  const type = 'Ready';
  if (isUnreachable(topology)) {
    const message = `the engine does not answer: ${topology.unreachable}`;
    return { type, status: 'Unknown', reason: 'EngineUnreachable', message };
  }
  const { available } = topology.health;
  if (available === 'unknown') {
    const message = 'the engine answers, and does not say whether it serves requests';
    return { type, status: 'Unknown', reason: 'EngineUnreachable', message };
  }
  if (!available) {
    return { type, status: 'False', reason: 'EngineUnavailable', message: 'the engine does not serve requests' };
  }
  const missing = whatIsMissing(spec.roles, processGroups);
  if (missing.length > 0) {
    return { type, status: 'False', reason: 'ProcessGroupsUnavailable', message: missing.join('; ') };
  }
  const message = 'every process group is up, and the engine serves requests';
  return { type, status: 'True', reason: 'AllAvailable', message };
}

function whatIsMissing(roles: Snapshot['spec']['roles'], groups: readonly ProcessGroup[]): readonly string[] {
  const staying = inOrder(groups).filter(({ removal }) => removal === null);
  const tooFew = roles.flatMap(({ name, count: want }) => {
    const have = staying.filter(({ role }) => role === name).length;
    return have < want ? [`${have} of ${count(want, `${name} process group`)}`] : [];
  });
  const notUp = staying.filter((group) => !isUp(group)).map(({ id }) => id);
  return [
    ...(tooFew.length > 0 ? [`there are ${list(tooFew, 5)}`] : []),
    ...(notUp.length > 0 ? [`${list(notUp, 10)} ${notUp.length === 1 ? 'is' : 'are'} not up`] : []),
  ];
}
