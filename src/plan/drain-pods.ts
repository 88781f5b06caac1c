import type { Some } from '../model/decision.ts';
import type { Drain, DrainNode, DrainPod, GuardWord, WaitReason } from '../model/drain.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';

/** What becomes of one pod of a node that is drained. */
export type PodOutlook =
  /** Left alone, as `kubectl drain` leaves it. */
  | { readonly outlook: 'ignored'; readonly reason: WaitReason }
  | { readonly outlook: 'may-go' }
  | {
      readonly outlook: 'wait' | 'never';
      readonly reasons: Some<WaitReason>;
      readonly progressPercent: number | null;
      readonly estimatedEnd: Instant | null;
      readonly moreFollows?: boolean;
    };

const mayGo: PodOutlook = { outlook: 'may-go' };
const held = (outlook: 'wait' | 'never', reason: Reason | WaitReason, estimatedEnd: Instant | null = null) =>
  ({ outlook, reasons: [told(reason)], progressPercent: null, estimatedEnd }) satisfies PodOutlook;

/** A reason of the catalogue as a drain reports it. */
export const told = (reason: Reason | WaitReason): WaitReason => ({
  code: reason.code,
  message: reason.message,
  since: 'since' in reason ? reason.since : null,
  until: reason.until,
});

/** What the settings of the drain say of a pod, as `kubectl drain` reads them; undefined: they let it go. */
export function settingsSay(pod: DrainPod, { pods }: Pick<Drain, 'pods'>): PodOutlook | undefined {
  const who = { pod: pod.name };
  if (pod.mirror) return { outlook: 'ignored', reason: told(reasons.mirrorPod(who)) };
  const isIgnored = pod.madeBy === 'DaemonSet' && pods.ignoreDaemonSets && !pod.finished;
  if (isIgnored) return { outlook: 'ignored', reason: told(reasons.daemonSetIgnored(who)) };
  if (pod.deletingSince !== null) {
    return held('wait', reasons.podGoing({ ...who, since: pod.deletingSince }), pod.goneBy);
  }
  // What has ended may be taken away, whoever made it.
  if (pod.finished) return undefined;
  if (pod.madeBy === 'DaemonSet') return held('never', reasons.daemonSetPod(who));
  if (pod.emptyDir && !pods.deleteEmptyDirData) return held('never', reasons.emptyDirPod(who));
  if (pod.madeBy === 'Nobody' && !pods.force) return held('never', reasons.unmanagedPod(who));
  return undefined;
}

/** What others say of a pod that the settings let go: its guard, or the API server when it was last asked. What has ended holds nothing. */
export function othersSay(pod: DrainPod, { deadline, now }: Drain): PodOutlook {
  if (pod.guarded !== null && !pod.finished) return guardSays(pod, pod.guarded, deadline, now);
  if (pod.refused === null || pod.refused.retryAt <= now) return mayGo;
  return held('wait', pod.refused.reason);
}

/** So long after its end has passed nothing is known of it any more: what was to be done by then stands still, or is slower than was thought. */
const patience = seconds(60);

/** When the end that a guard expects turns out to be none. */
export const endIsRefutedAt = ({ estimatedEnd }: GuardWord): Instant | undefined =>
  estimatedEnd === null ? undefined : dueAt(estimatedEnd, patience);

/** A guarded pod is never evicted here, whatever its guard says: whoever guards it has it evicted, in an order that is safe. */
function guardSays({ name }: DrainPod, word: GuardWord, deadline: Instant | null, now: Instant): PodOutlook {
  const { verdict, reasons: why, progressPercent, moreFollows = false } = word;
  const refutedAt = endIsRefutedAt(word);
  const estimatedEnd = refutedAt === undefined || now < refutedAt ? word.estimatedEnd : null;
  const who = { pod: name, cluster: word.by };
  const late = estimatedEnd !== null && deadline !== null && estimatedEnd > deadline;
  const past = late ? [told(reasons.pastDeadline({ pod: name, estimatedEnd, deadline }))] : [];
  const [first, ...rest] = why;
  const only = told(verdict === null ? reasons.noDecision(who) : reasons.guardLetsGo(who));
  return {
    outlook: verdict === 'never' ? 'never' : 'wait',
    reasons: [first ?? only, ...past, ...rest],
    progressPercent,
    estimatedEnd,
    moreFollows,
  };
}

/** The pods of a node that settings of the drain keep on it for good: nothing is taken away from such a node. */
export const blockersOf = (node: DrainNode, drain: Drain): readonly string[] =>
  (node.pods ?? [])
    .filter((pod) => settingsSay(pod, drain)?.outlook === 'never')
    .map(({ name }) => name)
    .sort();
