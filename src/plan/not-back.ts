import type { ConditionType, ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';
import { askAbout } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { dataTravels } from '../rules/travel.ts';
import { inOrder } from './in-order.ts';
import { allRespond } from './reporting.ts';
import { roleOf } from './role-of.ts';

/** Pods are dated by the API server, in whole seconds, and what is seen of them by Drover. In milliseconds. */
const clocksDiffer = 10_000;

/**
 * Those that were made again from the spec of now since the first of the others was seen to differ from it, or are to be, and do not serve: what
 * it asks for may not be able to run. One that was away before is not of this spec's doing.
 */
export function notBack(survey: Survey): readonly ProcessGroup[] {
  const groups = inOrder(survey.snapshot.processGroups);
  const begunAt = earliest(...groups.flatMap((group) => since(group, 'IncorrectPodSpec') ?? []));
  if (begunAt === undefined) return [];
  return groups.filter((group) => {
    const { pod, zone, removal } = group;
    // One that has never been anywhere was not made again: it may be waiting for the room that the others free.
    if (removal !== null || zone === null) return false;
    if (pod === null) return (since(group, 'MissingPod') ?? begunAt) >= begunAt;
    const isAsWanted = pod.shape.specHash === roleOf(survey, group)?.shape?.specHash;
    // The place to which its data is tied was taken by another one: that is not the spec's doing either.
    if (pod.unschedulable !== null && isTied(survey, group)) return false;
    return isAsWanted && pod.createdAt >= begunAt - clocksDiffer && !(pod.ready && allRespond(survey, group));
  });
}

const isTied = (survey: Survey, group: ProcessGroup): boolean =>
  group.claim !== null && group.claim !== 'none' && !dataTravels(askAbout('eviction', survey, group));

const since = ({ conditions }: ProcessGroup, of: ConditionType): Instant | undefined =>
  conditions.find(({ type }) => type === of)?.since;

/** Why this pod is not made again either, or it would follow them down; undefined: it may be, also as one more of the same lot. */
export function reasonToStop(
  { snapshot }: Survey,
  group: ProcessGroup,
  away: readonly ProcessGroup[],
): Reason | undefined {
  const isOfTheLot = ({ zone }: ProcessGroup): boolean => snapshot.spec.deletionMode === 'Zone' && zone === group.zone;
  const other = away.find((one) => !isOfTheLot(one));
  if (other === undefined) return undefined;
  return reasons.notBack({ group: group.id, other: other.id, since: other.pod?.createdAt ?? null });
}
