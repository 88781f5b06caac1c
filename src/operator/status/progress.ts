import type { Progress as ProgressRow } from '../../api/v1alpha1/progress.schema.ts';
import type { Verdict } from '../../model/decision.ts';
import type { Reason } from '../../model/reason.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { instant } from '../../model/time.ts';
import { isUnreachable } from '../../model/topology.ts';
import { momentOf, timestampOf } from './moments.ts';
import { inPercentSteps } from './percent-steps.ts';

/** How far the work is that will let a pod go, in figures. */
export interface Progress {
  readonly percent: number;
  /** null: the engine does not say. */
  readonly secondsLeft: number | null;
  /** Other copies follow the one that this is about. */
  readonly moreFollows: boolean;
}

/** How far it is by what the rules say of a pod, or else by what it waits for. Evictions and statuses tell this, and no other figure. */
export function progressOf(eviction: Verdict['eviction'] | undefined, waits: readonly Reason[]): Progress | undefined {
  const rules = eviction === undefined || eviction.kind === 'allow' ? [] : eviction.reasons;
  return [...rules, ...waits].flatMap(progressIn)[0];
}

function progressIn({ evidence }: Reason): Progress[] {
  const { percent, secondsLeft, copies, more } = evidence;
  if (typeof percent !== 'number') return [];
  const moreFollows = (typeof copies === 'number' && copies > 1) || (typeof more === 'number' && more > 0);
  return [{ percent, secondsLeft: typeof secondsLeft === 'number' ? secondsLeft : null, moreFollows }];
}

/** Within a step of the percentage the time left is told anew when it is further off than this, and than a part of it. */
const leastStep = 60;
const partOfIt = 4;
/** Ten years: a moment that no calendar has could not be compared with the next one. */
const longest = 315_360_000;

/**
 * Progress as a row of a status tells it. It stays as it was first said while the engine says about the same: of work that stands still the end passes,
 * and is not put off with every reading.
 */
export function progressRow(
  progress: Progress | undefined,
  before: ProgressRow | undefined,
  { topology, now }: Pick<Snapshot, 'topology' | 'now'>,
): { readonly progress?: ProgressRow } {
  if (progress === undefined) return {};
  const { moreFollows } = progress;
  const secondsLeft = progress.secondsLeft === null ? null : Math.min(progress.secondsLeft, longest);
  const percent = inPercentSteps(Math.min(100, Math.max(0, progress.percent)));
  const isSame =
    before?.percent === percent && before.moreFollows === moreFollows && isAbout(leftIn(before), secondsLeft);
  if (isSame) return { progress: before };
  const saidAt = isUnreachable(topology) ? now : topology.observedAt;
  const end = secondsLeft === null ? null : timestampOf(instant(Math.round(saidAt + secondsLeft * 1000)));
  return { progress: { percent, saidAt: timestampOf(saidAt), estimatedEnd: end, moreFollows } };
}

const leftIn = ({ saidAt, estimatedEnd }: ProgressRow): number | null =>
  estimatedEnd === null ? null : (momentOf(estimatedEnd) - momentOf(saidAt)) / 1000;

const isAbout = (written: number | null, left: number | null): boolean =>
  written === null || left === null
    ? written === left
    : Math.abs(written - left) <= Math.max(leastStep, written / partOfIt);
