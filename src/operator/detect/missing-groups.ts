import type { ProcessGroupId, RoleName } from '../../model/ids.ts';
import type { ConditionType } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { inOrder } from '../../plan/in-order.ts';
import { observeConditions } from '../../plan/observe-conditions.ts';
import { surveyOf } from '../../rules/survey.ts';

/** A process group that is not all there. */
export interface MissingGroup {
  readonly group: ProcessGroupId;
  readonly role: RoleName;
  /** What is missing of it. */
  readonly missing: readonly ConditionType[];
}

const missing: ReadonlySet<ConditionType> = new Set(['MissingProcesses', 'MissingPod']);

/**
 * Which process groups miss processes or their pod, by the same rule as the operator's own. Only what is seen now counts, not what is on record: an
 * engine that says nothing has not said that anything is missing.
 */
export function missingGroups(snapshot: Snapshot): readonly MissingGroup[] {
  const processGroups = snapshot.processGroups.map((group) => ({ ...group, conditions: [] }));
  const { records } = observeConditions(surveyOf({ ...snapshot, processGroups }));
  const seen = records.filter((record) => record.record === 'condition-set');
  return inOrder(processGroups).flatMap(({ id, role }) => {
    const found = seen.filter(({ group, condition }) => group === id && missing.has(condition));
    return found.length === 0 ? [] : [{ group: id, role, missing: found.map(({ condition }) => condition) }];
  });
}
