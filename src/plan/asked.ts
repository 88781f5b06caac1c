import type { NodeName } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { liveWishFor } from './live-wish.ts';

/** Who wants a pod gone, since when, and until when unless it is said again. */
export interface Wish {
  readonly by: string;
  readonly since: Instant;
  readonly until: Instant | undefined;
  /** A person named this very pod to be forced, and why. */
  readonly force: { readonly by: string; readonly why: string } | undefined;
}

/** Whether someone wants the pod of a process group gone: the very pod that is there, not one that had its name before. */
export function wishFor(survey: Survey, group: ProcessGroup): Wish | undefined {
  const { pod } = group;
  const live = pod === null ? undefined : liveWishFor(survey, group);
  if (pod === null || live === undefined) return undefined;
  const asks = (survey.asks.get(group.id) ?? [])
    .filter((ask) => ask.pod === pod.uid)
    .sort((a, b) => a.since - b.since || (a.by < b.by ? -1 : 1));
  const cordonedSince = pod.node === null ? undefined : survey.nodes?.get(pod.node)?.cordonedSince;
  const forced = live.forced ? asks.find(({ force }) => force !== null) : undefined;
  return {
    by: live.by,
    since: asks[0]?.since ?? cordonedSince ?? survey.snapshot.now,
    until: live.until,
    force: forced === undefined || forced.force === null ? undefined : { by: forced.by, why: forced.force },
  };
}

/** The nodes that something is leaving: nothing is moved to them. Sorted. */
export function leavingNodes({ snapshot }: Survey): readonly NodeName[] {
  const cordons = snapshot.spec.trigger === 'Cordon' ? (snapshot.nodes ?? []).filter(({ cordoned }) => cordoned) : [];
  const asked = snapshot.asks.flatMap(({ node }) => node ?? []);
  return [...new Set([...asked, ...cordons.map(({ name }) => name)])].sort();
}
