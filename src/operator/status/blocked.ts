import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import type { WaitingReason } from '../../api/v1alpha1/waiting-reason.schema.ts';
import type { Reason } from '../../model/reason.ts';
import { saysTheSame } from './waiting-for.ts';

/** A row of a status, by the name that people know it by. */
export interface WaitingRow {
  readonly id: string;
  readonly waitingFor: readonly WaitingReason[];
}

/** What the condition `Blocked` is judged by. */
export interface BlockedInput {
  /** Sorted by id. */
  readonly rows: readonly WaitingRow[];
  /** What waits and is about no row. */
  readonly clusterWaits: readonly Reason[];
  readonly before: readonly Condition[];
  /** The sentence where nothing waits. */
  readonly otherwise: string;
}

/** The condition `Blocked` of either kind. */
export interface BlockedJudgement {
  readonly type: 'Blocked';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The one that has waited longest speaks for all; what is about no row speaks where none waits. */
export function blockedOf({ rows, clusterWaits, before, otherwise }: BlockedInput): BlockedJudgement {
  const type = 'Blocked';
  const longest = longestWaiting(rows);
  const [first] = longest?.waitingFor ?? clusterWaits;
  if (first === undefined) return { type, status: 'False', reason: 'NothingWaits', message: otherwise };
  const { code, message: sentence } = first;
  const id = longest?.id;
  const message = id === undefined || sentence.includes(id) ? sentence : `${id}: ${sentence}`;
  const known = before.find((one) => one.type === type && one.reason === code)?.message;
  const isKnown = known !== undefined && saysTheSame({ message: known, until: null }, { message, until: null });
  return { type, status: 'True', reason: code, message: isKnown ? known : message };
}

/** Rows come sorted by id, so that of two that have waited equally long it is always the same one. */
function longestWaiting(rows: readonly WaitingRow[]): WaitingRow | undefined {
  let longest: { readonly row: WaitingRow; readonly since: number } | undefined;
  for (const row of rows) {
    const since = Math.min(...row.waitingFor.map((reason) => Date.parse(reason.since)));
    if (since < (longest?.since ?? Number.POSITIVE_INFINITY)) longest = { row, since };
  }
  return longest?.row;
}
