import type { NodeName } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Ask } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, latest, seconds } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { inOrder } from './in-order.ts';

/** Who asked and has not asked again for so long has given up: `kubectl drain` asks every 5 s, and asks are written once a minute. */
export const patience = seconds(600);

/** Someone wants a pod gone, and has not given up. */
export interface LiveWish {
  readonly by: string;
  /** The node that whoever it is drains, where not this pod was asked for but others of it. */
  readonly drains: NodeName | null;
  /** Not only others of its node were asked for, but this very pod: it is not only made ready to go, but let go. */
  readonly forPod: boolean;
  /** When that lapses while the wish goes on; undefined: with the wish, or it is not so. */
  readonly forPodUntil: Instant | undefined;
  /** When it lapses unless it is said again; undefined: not by time. */
  readonly until: Instant | undefined;
  /** A person named this very pod to be forced. */
  readonly forced: boolean;
  /** When the force lapses while the wish goes on; undefined: with the wish, or there is none. */
  readonly forcedUntil: Instant | undefined;
}

/**
 * Whether someone still wants the pod of a process group gone. An ask for another pod of the same name does not count, nor one for a cordon
 * that was lifted. While there is no pod the last asks stand: it may be on its way.
 */
export function liveWishFor(survey: Survey, group: ProcessGroup): LiveWish | undefined {
  const { now, spec } = survey.snapshot;
  const all = survey.asks.get(group.id) ?? [];
  if (all.length === 0 && spec.trigger !== 'Cordon') return undefined;
  const asks = all
    .filter((ask) => isAboutThisPod(ask, group) && !isCordonLifted(survey, ask) && now < lapsesAt(ask))
    .sort((a, b) => a.since - b.since || (a.by < b.by ? -1 : 1));
  const forces = asks.filter(isForced);
  const forced = forces.length > 0;
  const forceEnds = latest(...forces.map(lapsesAt));

  const node = group.pod?.node ?? null;
  const isCordoned = node !== null && survey.nodes?.get(node)?.cordoned === true;
  if (spec.trigger === 'Cordon' && isCordoned) {
    const by = asks.find(isForPod)?.by ?? `the cordon of ${node}`;
    return { by, drains: null, until: undefined, forced, forcedUntil: forceEnds, forPod: true, forPodUntil: undefined };
  }
  const [first] = asks;
  if (first === undefined) return undefined;
  const until = latest(...asks.map(lapsesAt));
  const podEnds = latest(...asks.filter(isForPod).map(lapsesAt));
  const before = (end: Instant | undefined) => (end === until ? undefined : end);
  return {
    by: first.by,
    drains: drainedBy(first),
    until,
    forced,
    forcedUntil: before(forceEnds),
    forPod: podEnds !== undefined,
    forPodUntil: before(podEnds),
  };
}

export const isForPod = ({ wants }: Ask): boolean => wants === 'Pod';

/** Whoever forces a pod means that one, and evicts it. */
export const isForced = (ask: Ask): boolean => ask.force !== null && isForPod(ask);

/** The node that is drained, where others of it are asked for and not the pod itself. */
export const drainedBy = (ask: Ask): NodeName | null => (isForPod(ask) ? null : ask.node);

/** By id, and those behind that only others of their nodes are asked for: what is scarce goes to who was asked for first. */
export function askedFirst(survey: Survey): readonly ProcessGroup[] {
  const groups = inOrder(survey.snapshot.processGroups);
  if (survey.snapshot.asks.every(isForPod)) return groups;
  const withNode = new Set(groups.filter((group) => liveWishFor(survey, group)?.forPod === false));
  return [...groups.filter((group) => !withNode.has(group)), ...withNode];
}

/** When it was last wanted; undefined: nothing is known of it any more. */
export function lastWanted(survey: Survey, group: ProcessGroup): Instant | undefined {
  return latest(...(survey.asks.get(group.id) ?? []).map(({ lastSeen }) => lastSeen));
}

const isAboutThisPod = (ask: Ask, { pod }: ProcessGroup): boolean => pod === null || ask.pod === pod.uid;

const isCordonLifted = ({ nodes }: Survey, { source, node }: Ask): boolean =>
  source === 'Cordon' && node !== null && nodes?.get(node)?.cordoned === false;

const lapsesAt = ({ lastSeen }: Ask): Instant => dueAt(lastSeen, patience);
