import type { Step } from '../model/decision.ts';
import type { Zone } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { keepsOneMore } from './another-zone.ts';
import { newestFirst } from './group-number.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { failures } from './replace-failed.ts';
import { idle, StepBuilder } from './step.ts';

/**
 * Marks the process groups that a lower count makes superfluous. Those that are marked already do not count, so they meet the decrease first.
 * Then those that fail, or are to be replaced for a taint, go first; then one of the zone that has the most, so that the zones stay balanced;
 * then the newest. What the cancel list holds is never chosen: where nothing else is left, the conflict is reported there.
 */
export function shrink(survey: Survey): Step {
  const { spec, processGroups } = survey.snapshot;
  if (!spec.ownsPods) return idle;
  const step = new StepBuilder('shrink');
  const unmarked = processGroups.filter(({ removal }) => removal === null);
  const roles = [...Map.groupBy(unmarked, ({ role }) => role)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [role, groups] of roles) {
    const wanted = spec.roles.find(({ name }) => name === role);
    const [have, want] = [groups.length, wanted?.count ?? 0];
    // The one more that somebody needs in order to leave is kept until then.
    const kept = wanted !== undefined && keepsOneMore(survey, wanted) ? 1 : 0;
    if (have <= want + kept) continue;
    const candidates = groups.filter(({ id }) => !isHeldByCancel(survey, id));
    for (const { group, because } of choose(candidates, groups, have - want - kept)) {
      const reason = reasons.shrink({ group: group.id, role, have, want, because });
      step.record({ record: 'marked', group: group.id, cause: 'Shrink', withoutExclusion: false, reason });
    }
  }
  return step.build();
}

interface Choice {
  readonly group: ProcessGroup;
  readonly because: string;
}

/** Picks as many as are too many, one after the other: each pick changes which zone has the most. */
function choose(candidates: readonly ProcessGroup[], all: readonly ProcessGroup[], excess: number): readonly Choice[] {
  const zones = new Map<Zone | null, number>();
  for (const { zone } of all) zones.set(zone, (zones.get(zone) ?? 0) + 1);
  const sizeOf = ({ zone }: ProcessGroup): number => zones.get(zone) ?? 0;

  const left = candidates
    .map((group) => ({ group, ails: ailmentOf(group) }))
    .sort((a, b) => newestFirst(a.group, b.group));
  const chosen: Choice[] = [];
  while (chosen.length < excess && left.length > 0) {
    const rank = ({ group, ails }: (typeof left)[number]): number =>
      (ails === undefined ? 0 : all.length) + sizeOf(group);
    // The newest of those that rank alike comes first in the list, and only a higher rank displaces it.
    const best = left.reduce((a, b) => (rank(b) > rank(a) ? b : a));
    const smallest = left.reduce((least, { group }) => Math.min(least, sizeOf(group)), Infinity);
    chosen.push({ group: best.group, because: explain(best.group, best.ails, sizeOf(best.group) > smallest) });
    zones.set(best.group.zone, sizeOf(best.group) - 1);
    left.splice(left.indexOf(best), 1);
  }
  return chosen;
}

/** What makes it the one that would be missed least. */
function ailmentOf({ conditions }: ProcessGroup): string | undefined {
  const types = conditions.map(({ type }) => type).sort();
  return types.find((type) => type === 'NodeTaintReplacing' || failures.includes(type));
}

function explain({ zone }: ProcessGroup, ailment: string | undefined, zoneHasMore: boolean): string {
  if (ailment !== undefined) return `it has ${ailment}`;
  return zoneHasMore ? `${zone ?? 'no known zone'} has the most` : 'it is the newest';
}
