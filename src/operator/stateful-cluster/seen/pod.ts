import type { KeyText } from '../../../kube/object.ts';
import { keyText } from '../../../kube/object.ts';
import type { Pod as KubePod } from '../../../kube/resources.ts';
import { name } from '../../../model/ids.ts';
import type { Pod } from '../../../model/process-group.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import { forceOf, guardLabel, open } from '../../lock/guard-label.ts';
import { moment } from '../../seen/moment.ts';
import { madeFrom } from '../marks.ts';
import type { Belonging } from './belonging.ts';
import { belongingOf } from './belonging.ts';
import { brokenContainer } from './broken-container.ts';
import { seenShape } from './shape.ts';

/** What is kept of a pod. */
export interface PodView {
  readonly key: KeyText;
  readonly version: string;
  /** undefined: not a pod of ours. */
  readonly belonging: Belonging | undefined;
  readonly pod: Pod;
  /** Its own addresses, IPv4 or IPv6, the preferred one first; none before it has one. */
  readonly addresses: readonly string[];
  /** All of them: also where it is, which Kubernetes copies from its node (since 1.35). */
  readonly labels: Readonly<Record<string, string>>;
  /** Why a person forces it; undefined: nobody does. */
  readonly force: string | undefined;
  /** The faults that were built into it, as `faultsText` writes them. */
  readonly faults: string;
}

/** The projection of a cache of pods. */
export function podView(pod: KubePod): PodView {
  return {
    key: keyText(pod.metadata),
    version: pod.metadata.resourceVersion ?? '',
    belonging: belongingOf(pod),
    pod: seenPod(pod),
    addresses: addressesOf(pod),
    labels: pod.metadata.labels ?? {},
    force: forceOf(pod.metadata.annotations, pod.metadata.uid ?? ''),
    faults: pod.metadata.annotations?.[madeFrom.faults] ?? '',
  };
}

/** A scheduler lists every node that it tried: enough of it to know why. */
const mostWords = 512;

/** A pod as a decision sees it. */
export function seenPod(pod: KubePod): Pod {
  const { metadata, spec, status = {} } = pod;
  const unscheduled = status.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False');
  const words = unscheduled === undefined ? null : (unscheduled.message ?? unscheduled.reason ?? '');
  return {
    name: metadata.name,
    uid: name(metadata.uid ?? ''),
    resourceVersion: metadata.resourceVersion ?? '',
    node: spec.nodeName === undefined || spec.nodeName === '' ? null : name(spec.nodeName),
    phase: phaseOf(status.phase),
    ready: isReady(pod),
    createdAt: moment(metadata.creationTimestamp) ?? instant(0),
    restartedAt: restartedAt(pod),
    crashing: isCrashing(pod),
    deletingSince: deletingSince(metadata),
    unschedulable: words === null ? null : words.slice(0, mostWords),
    broken: brokenContainer(status),
    open: metadata.labels?.[guardLabel] === open,
    shape: seenShape(pod, belongingOf(pod)),
    // Only what the pod would be made from could tell.
    wouldChange: false,
  };
}

/** One that waits to begin anew is not ready, which says enough. */
function restartedAt({ status = {} }: KubePod): Instant | null {
  const begun = (status.containerStatuses ?? [])
    .filter(({ restartCount }) => restartCount > 0)
    .flatMap(({ state }) => moment(state?.running?.startedAt) ?? []);
  return begun.length === 0 ? null : instant(Math.max(...begun));
}

/** One that runs beside those that crash may be the one that matters: nobody can tell. */
function isCrashing({ status: { phase, containerStatuses = [] } = {} }: KubePod): boolean {
  const waitsAgain = containerStatuses.filter(
    ({ restartCount, state }) => restartCount > 0 && state?.running === undefined,
  );
  return phase === 'Running' && containerStatuses.length > 0 && waitsAgain.length === containerStatuses.length;
}

/** A deletion's time stamp is when it should be over: the grace period ends there. */
function deletingSince({ deletionTimestamp, deletionGracePeriodSeconds = 0 }: KubePod['metadata']) {
  const end = moment(deletionTimestamp);
  return end === null ? null : instant(end - deletionGracePeriodSeconds * 1000);
}

/**
 * All containers are ready. Not the condition `Ready`: that also waits for gates of other systems. Each container is asked as well: a
 * container in a crash loop is not ready, whatever a condition that is behind says.
 */
function isReady({ status = {} }: KubePod): boolean {
  const { conditions = [], containerStatuses = [] } = status;
  const isSaid = conditions.some((one) => one.type === 'ContainersReady' && one.status === 'True');
  return isSaid && containerStatuses.every(({ ready }) => ready);
}

function phaseOf(phase: string | undefined): Pod['phase'] {
  return phase === 'Running' || phase === 'Failed' || phase === 'Succeeded' || phase === 'Unknown' ? phase : 'Pending';
}

function addressesOf({ status = {} }: KubePod & { readonly status?: PodAddresses }): readonly string[] {
  const all = [status.podIP ?? '', ...(status.podIPs ?? []).map(({ ip = '' }) => ip)];
  return [...new Set(all.filter((address) => address !== ''))];
}

interface PodAddresses {
  readonly podIPs?: readonly { readonly ip?: string }[];
}
