import type { Decision } from '../../model/decision.ts';
import type { Snapshot } from '../../model/snapshot.ts';

/** A decision in plain words: when, what was recorded and done and why, and what waited. */
export function sayDecision({
  snapshot,
  decision,
}: {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
}): string[] {
  const time = new Date(snapshot.now).toISOString().slice(11, 19);
  const records = decision.records.map((record) => {
    const group = 'group' in record ? ` ${record.group}` : '';
    return `recorded ${record.record}${group}${'reason' in record ? `: ${record.reason.message}` : ''}`;
  });
  const actions = decision.actions.map((action) => {
    const group = 'group' in action ? ` ${action.group}` : '';
    return `did ${action.act}${action.act === 'create' ? ` ${action.what}` : ''}${group}: ${action.reason.message}`;
  });
  const holds = decision.holds.map(({ reason }) => `waited: ${reason.message}`);
  return [...records, ...actions, ...holds].map((line) => `${time} ${line}`);
}
