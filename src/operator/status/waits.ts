import type { Decision, Verdict } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';

/** Holds that nobody waits for, because nothing will come of them: the row says them by `taints[].replaceAt`, which is null then. */
const notWaitedFor: ReadonlySet<string> = new Set([reasons.taintIgnored.code]);

/**
 * What each process group waits for, the most important first: what only a person can change, then in the order of the plan, each code once.
 * The plan has a hold for every one that leaves and that nothing is done about.
 */
export function waitsIn({ holds, verdicts }: Decision): ReadonlyMap<ProcessGroupId, readonly Reason[]> {
  const waits = new Map<ProcessGroupId, readonly Reason[]>();
  const byGroup = new Map(verdicts.map((verdict) => [verdict.group, verdict]));
  for (const [group, held] of Map.groupBy(holds, (hold) => hold.group)) {
    const found = distinct(held.map(({ reason }) => reason));
    if (group !== null && found.length > 0) waits.set(group, neverFirst(found, byGroup.get(group)));
  }
  return waits;
}

/** What the cluster as a whole waits for. */
export function clusterWaitsIn(decision: Decision): readonly Reason[] {
  // Ids that do not exist are no wait: they have a condition of their own.
  return distinct(
    decision.holds
      .filter(({ group, reason }) => group === null && reason.code !== reasons.unknownProcessGroup.code)
      .map(({ reason }) => reason),
  );
}

/** Each code once: two steps that wait for the same thing are one wait. */
function distinct(found: readonly Reason[]): readonly Reason[] {
  const seen = new Set(notWaitedFor);
  return found.filter(({ code }) => !seen.has(code) && seen.add(code));
}

function neverFirst(found: readonly Reason[], verdict: Verdict | undefined): readonly Reason[] {
  const never = neverCodes(verdict);
  return never.size === 0 ? found : found.toSorted((a, b) => Number(never.has(b.code)) - Number(never.has(a.code)));
}

/** What a verdict says will never be lifted by events or time. */
export function neverCodes(verdict: Verdict | undefined): ReadonlySet<string> {
  const answers = verdict === undefined ? [] : [verdict.eviction, verdict.replacement];
  return new Set(answers.flatMap((answer) => (answer.kind === 'never' ? answer.reasons.map(({ code }) => code) : [])));
}
