import type { Ask as AskStatus, Grant as GrantStatus, Job as JobStatus } from '../../api/v1alpha1/lock.schema.ts';
import type { Decision } from '../../model/decision.ts';
import { forcedByIn } from '../../model/forced.ts';
import type { Uid } from '../../model/ids.ts';
import type { Grant, Job, Snapshot } from '../../model/snapshot.ts';
import type { AskRow } from '../lock/ask-row.ts';
import { cutText } from './cut-text.ts';
import { timestampOf, timestampOrNull } from './moments.ts';

/** How long names and reasons may be. */
const longestName = 256;
const longestReason = 512;

/** `status.grants`. What only the status knows of a grant, its pod's name among it, stays as it was. */
export function grantsOf(after: Snapshot, decision: Decision, before: readonly GrantStatus[]): GrantStatus[] {
  const names = podNames(after);
  const askers = askersOf(after, decision);
  return after.grants.map((grant) => {
    const known = before.find(({ uid, process }) => uid === grant.pod && process === grant.group);
    const askedBy = cutText(known?.askedBy ?? askers.get(grant.pod) ?? 'unknown', longestName);
    return {
      pod: known?.pod ?? names.get(grant.pod) ?? grant.group,
      uid: grant.pod,
      process: grant.group,
      node: grant.node,
      grantedAt: timestampOf(grant.grantedAt),
      askedBy,
      openedAt: known?.openedAt ?? null,
      closedAt: timestampOrNull(grant.closedAt),
      goneAt: timestampOrNull(grant.goneAt),
      exemption: exemptionOf(grant, known, askedBy),
    };
  });
}

/** The core has one sentence for it, which says by what, why and at whose request; it is kept whole as the reason. */
function exemptionOf({ exemption }: Grant, known: GrantStatus | undefined, askedBy: string): GrantStatus['exemption'] {
  if (exemption === null) return null;
  const reason = cutText(exemption, longestReason);
  const written = known?.exemption ?? null;
  return written?.reason === reason ? written : { by: permittedBy(exemption, askedBy), reason };
}

/** The annotation of a pod that is forced, whoever wrote it; else it is a drain policy of the spec that permits it. */
function permittedBy(exemption: string, askedBy: string): string {
  return forcedByIn(exemption) ?? (/ lets it go: /.test(exemption) ? 'spec.drainPolicy' : askedBy);
}

/** Who asked for each pod: as the grant of this decision says, or who asked first. */
function askersOf(after: Snapshot, { records }: Decision): ReadonlyMap<Uid, string> {
  const asked = after.asks
    .filter(({ wants }) => wants === 'Pod')
    .toSorted((a, b) => b.since - a.since)
    .map(({ pod, by }) => [pod, by] as const);
  const granted = records.flatMap((record) => {
    const by = record.record === 'granted' ? record.reason.evidence['by'] : undefined;
    return record.record === 'granted' && typeof by === 'string' ? [[record.grant.pod, by] as const] : [];
  });
  return new Map([...asked, ...granted]);
}

/** `status.asks`. That a pod is to be forced stands on the pod and nowhere else. Whoever's pod was let go is remembered with it. */
export function asksOf({ grants }: Snapshot, asks: readonly AskRow[]): AskStatus[] {
  // One that was closed again before its pod went was not let go after all.
  const letGo = new Map(
    grants.map(({ pod, grantedAt, closedAt, goneAt }) => [
      pod,
      closedAt !== null && goneAt === null ? null : grantedAt,
    ]),
  );
  const letGoAt = ({ pod, letGoAt: known }: AskRow) => {
    const granted = letGo.get(pod);
    return granted === undefined ? known : granted;
  };
  return asks.map((ask) => ({
    pod: ask.name,
    uid: ask.pod,
    process: ask.group,
    node: ask.node,
    source: ask.source,
    by: cutText(ask.by, longestName),
    since: timestampOf(ask.since),
    lastSeen: timestampOf(ask.lastSeen),
    times: ask.times,
    nodeCordoned: ask.cordoned,
    letGoAt: timestampOrNull(letGoAt(ask)),
  }));
}

/** `status.jobs`: what the engine cannot show again, and how far it is. A job about a process group that is gone is done with. */
export function jobsOf(after: Snapshot, jobs: readonly Job[]): JobStatus[] {
  const groups = new Set(after.processGroups.map(({ id }) => id));
  return jobs
    .filter(({ group }) => groups.has(group))
    .map(({ verb, group, state, since, percent, attempts, retryAt, message }) => ({
      id: `${verb}/${group}`,
      verb,
      process: group,
      engineJob: null,
      state,
      since: timestampOf(since),
      progressPercent: percent,
      attempts,
      retryAt: timestampOrNull(retryAt),
      reason: null,
      message: cutText(message, longestReason),
    }));
}

const podNames = ({ processGroups }: Snapshot): ReadonlyMap<Uid, string> =>
  new Map(processGroups.flatMap(({ pod }) => (pod === null ? [] : [[pod.uid, pod.name] as const])));
