import type { Decision } from '../../model/decision.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { sayWaits } from './say-waits.ts';

interface Decided {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
}

/** Decisions in plain words, one after the other: when, what was recorded and done, and why. What waited is told of the last one. */
export function sayDecisions(decisions: readonly Decided[]): string[] {
  const last = decisions.at(-1);
  return [
    ...decisions.flatMap(sayDecision),
    ...sayWaits((last?.decision.holds ?? []).map(({ reason }) => reason)).map(
      (wait) => `${timeOf(last)} waited: ${wait}`,
    ),
  ];
}

const timeOf = (decided: Decided | undefined): string =>
  decided === undefined ? '' : new Date(decided.snapshot.now).toISOString().slice(11, 19);

function sayDecision(decided: Decided): string[] {
  const { records, actions } = decided.decision;
  const recorded = records.map((record) => {
    const about = 'group' in record ? ` ${record.group}` : '';
    const why = 'reason' in record ? `: ${record.reason.message}` : 'condition' in record ? ` ${record.condition}` : '';
    return `recorded ${record.record}${about}${why}`;
  });
  const done = actions.map((action) => {
    const about = 'group' in action ? ` ${action.group}` : '';
    return `did ${action.act}${action.act === 'create' ? ` ${action.what}` : ''}${about}: ${action.reason.message}`;
  });
  return [...recorded, ...done].map((line) => `${timeOf(decided)} ${line}`);
}
