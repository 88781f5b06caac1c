import type { Force } from '../model/forced.ts';
import type { NodeName } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Ask } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { drainedBy, isForced, isForPod, liveWishFor } from './live-wish.ts';

/** Who wants a pod gone, and until when unless it is said again. */
export interface Wish {
  readonly by: string;
  /** The node that whoever it is drains, where not this pod was asked for but others of it. */
  readonly drains: NodeName | null;
  readonly until: Instant | undefined;
  /** A person named this very pod to be forced, and why; `until`: when that lapses before the wish does. */
  readonly force: (Force & { readonly until: Instant | undefined }) | undefined;
  /** Who wants this very pod, and until when; undefined: only others of its node were asked for, it is made ready to go and not let go. */
  readonly forPod: { readonly by: string; readonly since: Instant; readonly until: Instant | undefined } | undefined;
}

/**
 * Whether someone wants the pod of a process group gone: the very pod that is there, not one that had its name before. Who is named does not
 * change before the wish lapses: of several people the one who asked last, and not at all where it is the cordon that asks.
 */
export function wishFor(survey: Survey, group: ProcessGroup): Wish | undefined {
  const { pod } = group;
  const live = pod === null ? undefined : liveWishFor(survey, group);
  if (pod === null || live === undefined) return undefined;
  const asks = (survey.asks.get(group.id) ?? []).filter((ask) => ask.pod === pod.uid);
  const node = pod.node === null ? undefined : survey.nodes?.get(pod.node);
  const cordon = `the cordon of ${pod.node}`;
  const last = live.until === undefined ? undefined : lastOf(asks);
  const own = asks.filter(isForPod);
  const forced = live.forced ? lastOf(asks.filter(isForced)) : undefined;
  const why = forced?.force ?? undefined;
  return {
    by: last === undefined ? cordon : last.by,
    drains: last === undefined ? null : drainedBy(last),
    until: live.until,
    force:
      forced === undefined || why === undefined
        ? undefined
        : { why, source: forced.source, by: forced.by, until: live.forcedUntil },
    forPod: live.forPod
      ? {
          by: (live.until === undefined ? undefined : lastOf(own)?.by) ?? cordon,
          since: earliest(...own.map(({ since }) => since)) ?? node?.cordonedSince ?? survey.snapshot.now,
          until: live.forPodUntil ?? live.until,
        }
      : undefined,
  };
}

function lastOf(asks: readonly Ask[]): Ask | undefined {
  return asks.toSorted((a, b) => b.lastSeen - a.lastSeen || a.since - b.since || (a.by < b.by ? -1 : 1))[0];
}

/** The nodes that something is leaving: nothing is moved to them. Sorted. */
export function leavingNodes({ snapshot }: Survey): readonly NodeName[] {
  const cordons = snapshot.spec.trigger === 'Cordon' ? (snapshot.nodes ?? []).filter(({ cordoned }) => cordoned) : [];
  const asked = snapshot.asks.flatMap(({ node }) => node ?? []);
  return [...new Set([...asked, ...cordons.map(({ name }) => name)])].sort();
}
