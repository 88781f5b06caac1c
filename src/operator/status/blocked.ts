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
  const [longest] = rows.filter(({ waitingFor }) => waitingFor.length > 0).toSorted(byWait);
  const [first] = longest?.waitingFor ?? clusterWaits;
  if (first === undefined) return { type, status: 'False', reason: 'NothingWaits', message: otherwise };
  const { code, message: sentence } = first;
  const id = longest?.id;
  const message = id === undefined || sentence.includes(id) ? sentence : `${id}: ${sentence}`;
  const known = before.find((one) => one.type === type && one.reason === code)?.message;
  const isKnown = known !== undefined && saysTheSame({ message: known, until: null }, { message, until: null });
  return { type, status: 'True', reason: code, message: isKnown ? known : message };
}

/** Rows come sorted by id, so that the first of two that have waited equally long is always the same one. */
const byWait = (a: WaitingRow, b: WaitingRow): number => waitsSince(a) - waitsSince(b);

const waitsSince = ({ waitingFor }: WaitingRow): number =>
  Math.min(...waitingFor.map(({ since }) => Date.parse(since)));
