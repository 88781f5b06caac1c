import type { Decision, Some, Verdict } from '../model/decision.ts';
import type { Drain, DrainNode, DrainPod } from '../model/drain.ts';
import type { ClusterKey, ProcessGroupId } from '../model/ids.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { instant } from '../model/time.ts';

/** What becomes of one pod of a node that is drained. */
export type PodOutlook =
  /** Left alone, as `kubectl drain` leaves it. */
  | { readonly outlook: 'ignored' }
  | { readonly outlook: 'may-go' }
  | {
      readonly outlook: 'wait' | 'never';
      readonly reasons: Some<Reason>;
      readonly progressPercent: number | null;
      readonly estimatedEnd: Instant | null;
    };

const ignored: PodOutlook = { outlook: 'ignored' };
const mayGo: PodOutlook = { outlook: 'may-go' };
const never = (reason: Reason): PodOutlook => ({
  outlook: 'never',
  reasons: [reason],
  progressPercent: null,
  estimatedEnd: null,
});
const wait = (reason: Reason): PodOutlook => ({
  outlook: 'wait',
  reasons: [reason],
  progressPercent: null,
  estimatedEnd: null,
});

/** What the settings of the drain say of a pod, as `kubectl drain` reads them; undefined: they let it go. */
export function settingsSay(pod: DrainPod, { pods }: Drain): PodOutlook | undefined {
  if (pod.mirror) return ignored;
  if (pod.deletingSince !== null) return wait(reasons.podGoing({ pod: pod.name, since: pod.deletingSince }));
  // What has ended may be taken away, whoever made it.
  if (pod.finished) return undefined;
  if (pod.madeBy === 'DaemonSet')
    return pods.ignoreDaemonSets ? ignored : never(reasons.daemonSetPod({ pod: pod.name }));
  if (pod.emptyDir && !pods.deleteEmptyDirData) return never(reasons.emptyDirPod({ pod: pod.name }));
  if (pod.madeBy === 'Nobody' && !pods.force) return never(reasons.unmanagedPod({ pod: pod.name }));
  return undefined;
}

/** The verdicts of all clusters that have pods on the nodes. */
export class Verdicts {
  readonly #decisions: ReadonlyMap<ClusterKey, Decision>;
  readonly #verdicts = new Map<ClusterKey, ReadonlyMap<ProcessGroupId, Verdict>>();

  constructor(decisions: readonly Decision[]) {
    this.#decisions = new Map(decisions.map((decision) => [decision.cluster, decision]));
  }

  /** What the cluster of a guarded pod says of it. Nobody else's pod is asked about, and what has ended holds nothing. */
  say(pod: DrainPod, { deadline }: Drain): PodOutlook {
    if (pod.guarded === null || pod.finished) return mayGo;
    const { cluster, group } = pod.guarded;
    const decision = this.#decisions.get(cluster);
    const verdict = this.#of(cluster).get(group);
    if (decision === undefined || verdict === undefined) return wait(reasons.noDecision({ pod: pod.name, cluster }));
    if (verdict.eviction.kind === 'allow') return mayGo;
    const { kind, reasons: why } = verdict.eviction;
    const estimatedEnd = endOf(why, decision.at);
    const late = estimatedEnd !== null && deadline !== null && estimatedEnd > deadline;
    const told = late ? [reasons.pastDeadline({ pod: pod.name, estimatedEnd, deadline })] : [];
    return { outlook: kind, reasons: [...why, ...told], progressPercent: figure(why, 'percent'), estimatedEnd };
  }

  #of(cluster: ClusterKey): ReadonlyMap<ProcessGroupId, Verdict> {
    const known = this.#verdicts.get(cluster);
    if (known !== undefined) return known;
    const verdicts = new Map(this.#decisions.get(cluster)?.verdicts.map((verdict) => [verdict.group, verdict]));
    this.#verdicts.set(cluster, verdicts);
    return verdicts;
  }
}

function figure(why: readonly Reason[], name: string): number | null {
  for (const { evidence } of why) {
    const value = evidence[name];
    if (typeof value === 'number') return value;
  }
  return null;
}

/** Only what every reason gives an end for has one. */
function endOf(why: readonly Reason[], at: Instant): Instant | null {
  let end: Instant | null = null;
  for (const { evidence, until } of why) {
    const { secondsLeft } = evidence;
    const one = until ?? (typeof secondsLeft === 'number' ? instant(at + secondsLeft * 1000) : null);
    if (one === null) return null;
    if (end === null || one > end) end = one;
  }
  return end;
}

/** The pods of a node that settings of the drain keep on it for good: nothing is taken away from such a node. */
export const blockersOf = (node: DrainNode, drain: Drain): readonly string[] =>
  node.pods
    .filter((pod) => settingsSay(pod, drain)?.outlook === 'never')
    .map(({ name }) => name)
    .sort();
