import type { Action, Step } from '../model/decision.ts';
import type { ProcessId, QuorumId } from '../model/ids.ts';
import { isFalse, isTrue } from '../model/known.ts';
import type { Pod, ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Quorum } from '../model/topology.ts';
import { withLetGo } from '../rules/joint.ts';
import { askAbout } from '../rules/question.ts';
import { mayHoldData } from '../rules/role-table.ts';
import { standingOf } from '../rules/standing.ts';
import type { Survey } from '../rules/survey.ts';
import { countsAsGone } from '../rules/survey.ts';
import { dataTravels } from '../rules/travel.ts';
import { neverRan } from '../rules/unlisted.ts';
import { mayBeEvicted } from '../rules/verdict.ts';
import { handOffGroup } from './hand-off.ts';
import { isOnItsWayOut } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { liveWishFor } from './live-wish.ts';
import type { Lot } from './lots.ts';
import { lotsOf } from './lots.ts';
import { notBack, reasonToStop } from './not-back.ts';
import { needsRecreation } from './pod-changes.ts';
import { prepareMaintenance } from './prepare-maintenance.ts';
import { seatOf } from './quorum-seat.ts';
import { reasonNotToTry } from './refused-objects.ts';
import { rulesOf } from './role-of.ts';
import { settling } from './settling.ts';
import { idle, StepBuilder } from './step.ts';
import { UnavailableZones } from './unavailable-zones.ts';

/** A process group whose pod differs from the spec and is made again on its volume. */
export interface Outdated extends ProcessGroup {
  readonly pod: Pod;
}

/**
 * Which pods are deleted now, to be made again as the spec has them: one lot as `deletionMode` says, when nothing is settling, the lot before
 * is back, no more zones are unavailable than `maxZonesWithUnavailablePods` allows, the rules let each of them be away for a while, and the engine knows of it where
 * it can. `All` asks no rule. What is down already goes at once: there is nothing to lose.
 */
export function recreate(survey: Survey, taken: readonly Action[] = []): Step {
  if (!survey.snapshot.spec.ownsPods) return idle;
  const step = new StepBuilder('recreate');
  const outdated = inOrder(survey.snapshot.processGroups)
    .filter((group) => isOutdated(survey, group))
    .filter((group) => !isRefused(survey, group, step) && !isPlaceLeft(survey, group, step));
  for (const group of outdated)
    if (isDown(survey, group)) deletePod(group, reasons.podOutdated({ group: group.id }), step);

  const running = outdated.filter((group) => !isDown(survey, group));
  if (running.length > 0) deleteOneLot(survey, running, taken, step);
  return step.build();
}

function isOutdated(survey: Survey, group: ProcessGroup): group is Outdated {
  if (!hasPod(group) || group.pod.deletingSince !== null) return false;
  return (group.removal === null && needsRecreation(survey, group)) || mustRunToLeave(survey, group);
}

const hasPod = (group: ProcessGroup): group is Outdated => group.pod !== null;

/**
 * It is replaced, and only what runs can give its data away: where it does not, it has to run as the spec has it now, on the volume that it has. What
 * never ran has nothing to give; while it waits for its turn it has to run all the same, because those whose turn it is may wait for it to serve. Where
 * all go at once the engine may be silent for just that, and is not asked.
 */
function mustRunToLeave(survey: Survey, group: Outdated): boolean {
  if (isOnItsWayOut(group) || !group.pod.wouldChange || !isOver(survey, group)) return false;
  if (group.removal === null && isDown(survey, group)) return true;
  const { snapshot, engine } = survey;
  if (engine.topology === undefined) return snapshot.spec.deletionMode === 'All' && group.addresses.length > 0;
  return isDown(survey, group) && !neverRan({ group, processes: engine.processesOf.get(group.id) ?? [] });
}

/** What would not come back is not deleted. */
function isRefused(survey: Survey, group: Outdated, step: StepBuilder): boolean {
  const refused = reasonNotToTry(survey, group, `${group.id} keeps its old pod`);
  if (refused !== undefined) step.hold(group.id, refused);
  return refused !== undefined;
}

/**
 * Whether its node is to be left: the pod, whose data is tied to that node, could not come back, and whoever drains would find the node empty and take
 * the disk away. Once it has left, it is made as the spec has it.
 */
function isPlaceLeft(survey: Survey, group: Outdated, step: StepBuilder): boolean {
  const { node } = group.pod;
  if (node === null || group.claim === 'none' || dataTravels(askAbout('eviction', survey, group))) return false;
  const isLeft = survey.nodes?.get(node)?.cordoned === true || liveWishFor(survey, group) !== undefined;
  if (isLeft) step.hold(group.id, reasons.placeLeft({ group: group.id, node }));
  return isLeft;
}

/** No process of it serves, as the engine confirms; or it never reported, and an engine may be silent because nothing has come up yet. */
function isDown(survey: Survey, group: Outdated): boolean {
  if (!isOver(survey, group)) return false;
  const { topology, processesOf } = survey.engine;
  if (topology === undefined) return group.addresses.length === 0;
  return (processesOf.get(group.id) ?? []).every(({ responds }) => isFalse(responds));
}

/** A pod that found no place, or whose containers have ended: for good, or once more. */
function isOver({ snapshot }: Survey, { role, claim, pod }: Outdated): boolean {
  if (!pod.crashing) return pod.phase !== 'Running' && pod.phase !== 'Unknown';
  // What it keeps without a claim outlives its containers, and not their pod.
  return claim !== 'none' || !mayHoldData(snapshot.spec.engine, role);
}

/** What the lots of one decision have in common. */
interface Round {
  readonly survey: Survey;
  /** As the rules see it: what is deleted comes back to its volume. */
  readonly inPlace: Survey;
  readonly zones: UnavailableZones;
  /** Those of the lots before that are not back yet. */
  readonly away: readonly ProcessGroup[];
  /** Those that only their leadership keeps. */
  readonly leaders: Outdated[];
  /** Seats are given to others by this very decision: nobody knows yet to whom. */
  readonly seatsMove: boolean;
  readonly step: StepBuilder;
}

function deleteOneLot(
  survey: Survey,
  outdated: readonly Outdated[],
  taken: readonly Action[],
  step: StepBuilder,
): void {
  const unsettled = settling(survey);
  if (unsettled !== undefined) {
    for (const { id } of outdated) {
      step.hold(id, reasons.podsSettling({ subject: `${id} is not deleted yet`, ...unsettled }));
    }
    return;
  }
  const free = outdated.filter((group) => !isPlaceWanted(survey, group, step));
  const inPlace = withDataInPlace(survey);
  const zones = new UnavailableZones(survey);
  const seatsMove = taken.some(({ act }) => act === 'hand-off' || act === 'reseat');
  const round: Round = { survey, inPlace, zones, away: notBack(survey), leaders: [], seatsMove, step };
  let first: string | undefined;
  for (const lot of inTurn(survey, free)) {
    if (first === undefined) first = deleteLot(round, lot) ? lot.name : undefined;
    else for (const { id } of lot.groups) step.hold(id, reasons.anotherBatch({ group: id, first }));
  }
  // Leaders come last, so that leadership moves once and not with every lot.
  const [leader] = round.leaders;
  const isTold = taken.some((action) => action.act === 'hand-off' && action.group === leader?.id);
  if (first === undefined && leader !== undefined && !isTold) handOffGroup(survey, leader, step);
}

/**
 * Whether another pod of the role waits for a place. It would take this one's the moment that it is free, and this one, whose data is tied to
 * it, could not come back.
 */
function isPlaceWanted(survey: Survey, group: Outdated, step: StepBuilder): boolean {
  if (dataTravels(askAbout('eviction', survey, group))) return false;
  const other = inOrder(survey.snapshot.processGroups).find(
    ({ id, role, pod }) => id !== group.id && role === group.role && pod !== null && pod.unschedulable !== null,
  );
  if (other !== undefined) step.hold(group.id, reasons.placeWanted({ group: group.id, other: other.id }));
  return other !== undefined;
}

/** By name; the zone that is under maintenance already comes first. */
function inTurn({ snapshot }: Survey, outdated: readonly Outdated[]): readonly Lot<Outdated>[] {
  const begun = snapshot.maintenance?.zone;
  const isBegun = ({ groups }: Lot<Outdated>): boolean =>
    begun !== undefined && groups.some(({ zone }) => zone === begun);
  return lotsOf(snapshot.spec.deletionMode, outdated).toSorted(
    (a, b) => Number(isBegun(b)) - Number(isBegun(a)) || (a.name < b.name ? -1 : 1),
  );
}

/** Whether it is this lot's turn: some of it is deleted now, or as soon as the engine knows of it. */
function deleteLot(round: Round, { groups }: Lot<Outdated>): boolean {
  const { survey, zones, away, step } = round;
  const atOnce = survey.snapshot.spec.deletionMode === 'All';
  const ready = groups.filter((group) => {
    const hold = zones.reasonAgainst(group) ?? (atOnce ? undefined : reasonToStop(survey, group, away));
    if (hold !== undefined) step.hold(group.id, hold);
    else if (atOnce) zones.add(group);
    return hold === undefined;
  });
  if (atOnce) {
    const gone = withoutSeats(round, ready);
    for (const group of gone) deleteUnasked(survey, group, step);
    return gone.length > 0;
  }
  const free = thatMayBeAway(round, ready);
  if (free.length === 0) return false;
  const preparation = prepareMaintenance(survey, free, step);
  if (preparation === 'ready') {
    for (const group of free) deletePod(group, reasons.podOutdated({ group: group.id }), step);
  }
  return preparation !== 'elsewhere';
}

/**
 * Those that may go all at once. A seat in a quorum that is known by the pod's address does not come back with its pod: a majority of these stays
 * until the others have been given to somebody else, or the quorum would be gone for good, which is more than unavailable.
 */
function withoutSeats({ survey, seatsMove, step }: Round, groups: readonly Outdated[]): readonly Outdated[] {
  const standing = new Map<QuorumId, readonly ProcessId[]>();
  const seatsAreTold = !seatsMove && (survey.engine.topology?.quorums.length ?? 0) > 0;
  return groups.filter((group) => {
    const comesBackThere = group.pod.shape.publicIPSource === 'Service';
    if (!comesBackThere && !seatsAreTold && rulesOf(survey, group)?.mayHaveASeat === true) {
      step.hold(group.id, reasons.factUnknown({ group: group.id, missing: 'whether it has a seat in a quorum' }));
      return false;
    }
    const seat = comesBackThere ? undefined : seatOf(survey, group);
    if (seat === undefined) return true;
    const { quorum, processes } = seat;
    const others = (standing.get(quorum.id) ?? standingMembers(survey, quorum)).filter((id) => !processes.includes(id));
    const isSpare = others.length >= quorum.needed;
    if (isSpare) standing.set(quorum.id, others);
    else step.hold(group.id, reasons.seatIsKept({ group: group.id, quorum: quorum.name }));
    return isSpare;
  });
}

/** One that was let go a moment ago the engine may still hear: however long ago that is by a clock that may be wrong, it is not counted on. */
const standingMembers = (survey: Survey, { members }: Quorum): readonly ProcessId[] =>
  members.flatMap(({ process, responds }) =>
    isTrue(responds) && standingOf(survey, process).is === 'yes' ? [process] : [],
  );

/** No rule was asked, so that this is written down as an exemption: nothing else is let go until the engine shows what it did. */
function deleteUnasked({ snapshot }: Survey, group: Outdated, step: StepBuilder): void {
  const { id, pod } = group;
  const reason = reasons.allAtOnce({ group: id });
  const isRecorded = snapshot.grants.some((grant) => grant.pod === pod.uid && countsAsGone(grant, snapshot));
  if (!isRecorded) {
    const unfinished = { closedAt: null, goneAt: null };
    const exemption = 'deletionMode is All';
    const grant = { group: id, pod: pod.uid, node: pod.node, grantedAt: snapshot.now, exemption, ...unfinished };
    step.record({ record: 'granted', grant, reason });
  }
  deletePod(group, reason, step);
}

/** Those that the rules let go together. */
function thatMayBeAway({ inPlace, leaders, step }: Round, groups: readonly Outdated[]): readonly Outdated[] {
  let after = inPlace;
  return groups.filter((group) => {
    const answer = mayBeEvicted(after, group);
    if (answer.kind === 'allow') {
      after = withLetGo(after, group);
      return true;
    }
    for (const reason of answer.reasons) step.hold(group.id, reason);
    if (answer.reasons.every(({ code }) => leadership.has(code))) leaders.push(group);
    return false;
  });
}

const leadership: ReadonlySet<string> = new Set([
  reasons.leadsUnits.code,
  reasons.quorumLeader.code,
  reasons.notFollower.code,
]);

/** The rules as they are for data that comes back with its pod: it need not be moved away, and everything has to survive without it. */
function withDataInPlace(survey: Survey): Survey {
  const { snapshot } = survey;
  const roles = snapshot.spec.roles.map((role) => ({ ...role, dataTravels: 'always' as const }));
  return { ...survey, snapshot: { ...snapshot, spec: { ...snapshot.spec, roles } } };
}

function deletePod({ id, pod }: Outdated, reason: Reason, step: StepBuilder): void {
  const { uid, resourceVersion } = pod;
  step.act({ act: 'delete-pod', group: id, pod: { uid, resourceVersion }, reason });
}
