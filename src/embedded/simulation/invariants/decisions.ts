import type { Decision, StatusRecord } from '../../../model/decision.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { Snapshot } from '../../../model/snapshot.ts';
import { isUnreachable } from '../../../model/topology.ts';
import { applyRecords } from '../../../plan/apply-records.ts';
import type { Violation } from './violation.ts';
import { violation } from './violation.ts';

/** A decision, and what the judge remembers by itself of those before it. */
export interface Judged {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  /** How many seconds ago the last removal was decided on; undefined: none was, or nobody can say because the operator's clock was moved. */
  readonly sinceLastRemoval: number | undefined;
}

/** What must hold for a decision by itself. Said once more here, in the plainest way, so that a mistake of the plan is not repeated. */
export const decisionRules: readonly ((judged: Judged) => Violation | undefined)[] = [
  replacementsStayWithinTheirLimit,
  oneLotIsRemoved,
  removalsWaitForEachOther,
  zonesStayAvailable,
  waitsHaveATimer,
  cancelledStays,
];

type Marked = Extract<StatusRecord, { readonly record: 'marked' }>;

const marks = ({ records }: Decision): Marked[] => records.filter((record) => record.record === 'marked');
const removed = ({ records }: Decision): string[] =>
  records.flatMap((record) => (record.record === 'removing' ? [record.group] : []));

/** I3: those on their way out are drained, or judged to be dispensable, and count no more. */
function replacementsStayWithinTheirLimit({ snapshot, decision }: Judged): Violation | undefined {
  const marked = marks(decision);
  const after = applyRecords(snapshot, decision.records).processGroups.filter(isInFlight);
  const limits = [
    { causes: ['Failed', 'Tainted'], most: snapshot.spec.replacements.maxConcurrentReplacements, gives: true },
    { causes: ['Misconfigured'], most: snapshot.spec.maxConcurrentReplacements, gives: false },
  ];
  for (const { causes, most, gives } of limits) {
    const isFresh = ({ id }: ProcessGroup) => marked.some(({ group, cause }) => group === id && causes.includes(cause));
    const fresh = after.filter(isFresh);
    // What the same decision marks for other reasons may come on top.
    const counted = after.filter(
      (group) =>
        (isFresh(group) || !marked.some(({ group: id }) => id === group.id)) &&
        !(gives && fresh.some((failed) => waitsFor(snapshot, group, failed))),
    );
    if (most !== null && fresh.length > 0 && counted.length > most) {
      const ids = fresh.map(({ id }) => id).join(', ');
      return violation('I3', `${ids} marked, and ${counted.length} are in flight, of ${most}`);
    }
  }
  return undefined;
}

const isMissing = ({ conditions }: ProcessGroup): boolean => conditions.some(({ type }) => type === 'MissingProcesses');

/** It has nothing left but a seat, or nothing was begun with it; and the other one, of its quorum or of its role, is missing. */
const waitsFor = (snapshot: Snapshot, group: ProcessGroup, failed: ProcessGroup): boolean =>
  hasOnlyASeat(snapshot, group, failed) ||
  (group.role === failed.role && group.evacuationAt === null && !isMissing(group) && isMissing(failed));

/** Of what the engine lists, it has a place in a quorum and no copy; the other one has a place there, and is silent. */
function hasOnlyASeat({ topology }: Snapshot, { id }: ProcessGroup, failed: ProcessGroup): boolean {
  if (isUnreachable(topology) || topology.units.length === 0) return false;
  const processesOf = (of: string) =>
    topology.processes.filter(({ group }) => group === of).map((process) => process.id);
  const [own, other] = [processesOf(id), processesOf(failed.id)];
  const holds = topology.units.some(({ replicas }) =>
    replicas.some(({ process, state, doomed }) => own.includes(process) && state !== 'unused' && !doomed),
  );
  const sits = topology.quorums.some(
    ({ members }) =>
      members.some(({ process }) => own.includes(process)) &&
      members.some(({ process, responds }) => other.includes(process) && responds === false),
  );
  return own.length > 0 && !holds && sits;
}

const isInFlight = ({ removal, drainedAt, removingAt }: ProcessGroup): boolean =>
  removal !== null && !removal.withoutExclusion && drainedAt === null && removingAt === null;

/** I3: `removalMode`. */
function oneLotIsRemoved({ snapshot, decision }: Judged): Violation | undefined {
  const ids = removed(decision);
  const { removalMode } = snapshot.spec;
  // One that was made again a moment ago may be seen in its new zone by this very decision.
  const found = new Map<string, string | null>(
    decision.records.flatMap((record) => (record.record === 'zone' ? [[record.group, record.zone]] : [])),
  );
  const zone = (id: string) => (found.has(id) ? found.get(id) : zoneOf(snapshot, id)) ?? id;
  const lots = new Set(removalMode === 'ProcessGroup' ? ids : ids.map(zone));
  if (removalMode === 'All' || lots.size <= 1) return undefined;
  return violation('I3', `${ids.join(', ')} are removed together, and removalMode is ${removalMode}`);
}

/** I3: `waitBetweenRemovals`. */
function removalsWaitForEachOther({ snapshot, decision, sinceLastRemoval }: Judged): Violation | undefined {
  const [first] = removed(decision);
  const { waitBetweenRemovals } = snapshot.spec;
  if (first === undefined || sinceLastRemoval === undefined || sinceLastRemoval >= waitBetweenRemovals)
    return undefined;
  return violation(
    'I3',
    `${first} is removed ${sinceLastRemoval} s after the one before, instead of ${waitBetweenRemovals}`,
  );
}

/** I3: a pod is deleted to be made again only while no more zones than the limit are unavailable, its own aside. */
function zonesStayAvailable({ snapshot, decision }: Judged): Violation | undefined {
  const most = snapshot.spec.maxZonesWithUnavailablePods;
  if (most === null) return undefined;
  const after = applyRecords(snapshot, decision.records).processGroups;
  const unavailable = new Set(after.filter(isUnavailable).map(({ zone }) => zone));
  unavailable.delete(null);
  const leaves = (id: string) => after.some((group) => group.id === id && group.removal !== null);
  for (const action of decision.actions) {
    if (action.act !== 'delete-pod') continue;
    const group = snapshot.processGroups.find(({ id }) => id === action.group);
    if (group === undefined || group.zone === null || leaves(group.id) || isUnavailable(group)) continue;
    if (unavailable.size > most && !unavailable.has(group.zone))
      return violation('I3', `the pod of ${group.id} is deleted while ${unavailable.size} zones are unavailable`);
  }
  return undefined;
}

/** A pod may be ready and what runs in it may not be: the engine misses it. One that is removed by this very decision is not there any more. */
const isUnavailable = ({ pod, conditions, removingAt }: ProcessGroup): boolean =>
  pod === null ||
  pod.deletingSince !== null ||
  removingAt !== null ||
  !pod.ready ||
  conditions.some(({ type }) => type === 'MissingProcesses');

/** I7: whoever waits for a moment is woken by then. */
function waitsHaveATimer({ decision: { holds, at, wakeAt } }: Judged): Violation | undefined {
  const late = holds.find(
    ({ reason: { until } }) => until !== null && until > at && (wakeAt === undefined || wakeAt > until),
  );
  return late === undefined ? undefined : violation('I7', `nobody wakes up for this: ${late.reason.message}`);
}

/** I9: what people have listed is not marked and not removed. */
function cancelledStays({ snapshot, decision }: Judged): Violation | undefined {
  const { cancelReplacements, processGroupsToRemove, processGroupsToRemoveWithoutExclusion } = snapshot.spec;
  const alsoListed = new Set([...processGroupsToRemove, ...processGroupsToRemoveWithoutExclusion]);
  const leaves = new Set([...removed(decision), ...marks(decision).map(({ group }) => group)]);
  const gone = cancelReplacements.find((id) => leaves.has(id) && !alsoListed.has(id));
  return gone === undefined ? undefined : violation('I9', `${gone} leaves although that was cancelled`);
}

const zoneOf = ({ processGroups }: Snapshot, id: string): string | null =>
  processGroups.find((group) => group.id === id)?.zone ?? null;
