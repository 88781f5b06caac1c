import type { Verdict } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';
import type { Survey } from './survey.ts';
import { verdictOf } from './verdict.ts';

/**
 * Which of these may go together: they are taken one at a time, those that were asked first before the others and then by id, and each is
 * judged with those before it counted as gone. One verdict each, in that order; those with an eviction of `allow` are safe together.
 */
export function jointlySafe(survey: Survey, candidates: readonly ProcessGroup[]): readonly Verdict[] {
  let now = survey;
  return inTurn(survey, candidates).map((group) => {
    const verdict = verdictOf(now, group);
    if (verdict.eviction.kind === 'allow') now = withLetGo(now, group);
    return verdict;
  });
}

/** The order in which things are let go: asked first, then by id. What nobody asked for comes last. */
export function inTurn(survey: Survey, candidates: readonly ProcessGroup[]): readonly ProcessGroup[] {
  const askedAt = new Map(candidates.map(({ id }) => [id, firstAsk(survey, id)]));
  const turn = ({ id }: ProcessGroup): number => askedAt.get(id) ?? Number.POSITIVE_INFINITY;
  return candidates.toSorted((a, b) => {
    if (turn(a) !== turn(b)) return turn(a) - turn(b);
    return a.id < b.id ? -1 : 1;
  });
}

/** The survey once this group has been let go as well. */
export function withLetGo(survey: Survey, group: ProcessGroup): Survey {
  const leaving = survey.engine.processesOf.get(group.id) ?? [];
  return {
    ...survey,
    letGo: new Set([...survey.letGo, group.id]),
    gone: new Map([...leaving.map(({ id }) => [id, 'let go'] as const), ...survey.gone]),
  };
}

const firstAsk = (survey: Survey, id: ProcessGroup['id']): Instant | undefined =>
  earliest(...(survey.asks.get(id) ?? []).map(({ since }) => since));
