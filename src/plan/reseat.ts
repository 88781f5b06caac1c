import type { Step } from '../model/decision.ts';
import type { ProcessId, Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { isFalse, isTrue } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Process, Quorum } from '../model/topology.ts';
import { newestJob } from '../rules/newest-job.ts';
import { mayHoldData } from '../rules/role-table.ts';
import type { Survey } from '../rules/survey.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import { reasonToLeaveAlone } from './quiet-engine.ts';
import { settling } from './settling.ts';
import { StepBuilder } from './step.ts';

/**
 * Gives seats on which nobody answers to others, in quorums whose members are known by where they are (FoundationDB's coordinators): a pod that
 * comes back has another address, and its old seat stays dead until somebody moves it. Until then one failure less can be borne, which
 * holds up everything that asks for it. A seat is left alone while pods come and go, because its holder may be on its way back. Where all answer,
 * but two of them are in one zone, since a pod found its place elsewhere, one of these seats goes to another zone: it costs as much as a dead one.
 */
export function reseat(survey: Survey): Step {
  const step = new StepBuilder('reseat');
  for (const quorum of quorumsOf(survey)) {
    const dead = quorum.members.filter(({ responds }) => isFalse(responds)).map(({ process }) => process);
    const processes = dead.filter((process) => !isLeaving(survey, process)).sort();
    if (processes.length > 0) move(survey, quorum, processes, step);
    else if (dead.length === 0) spread(survey, quorum, step);
  }
  return step.build();
}

function spread(survey: Survey, quorum: Quorum, step: StepBuilder): void {
  const processes = crowded(survey, quorum);
  if (processes.length === 0) return;
  const unsettled = settling(survey);
  if (unsettled !== undefined) return void step.wake(unsettled.due);
  const said = { quorum: quorum.name, members: processes };
  const hold =
    reasonToLeaveAlone(survey, name(quorum.name), 'keep two seats in one zone for now') ??
    reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, name(quorum.id), 'HandOff'));
  if (hold !== undefined) step.hold(null, hold);
  else step.act({ act: 'reseat', quorum: quorum.id, processes, reason: reasons.crowdedSeats(said) });
}

/** Those that are not the only ones in their zone, one of each such zone left out, and no more than there are other zones for. */
function crowded(survey: Survey, { members }: Quorum): readonly ProcessId[] {
  const { processes } = survey.engine;
  const seats = members.map(({ process }) => processes.get(process));
  // One that is not known to be somewhere, or about to leave, will be seen to first.
  if (seats.some((seat) => seat === undefined || seat.zone === null || isLeaving(survey, seat.id))) return [];
  const taken = new Map<Zone, ProcessId>();
  const tooMany: ProcessId[] = [];
  for (const seat of seats.flatMap((one) => one ?? []).sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (seat.zone === null) continue;
    if (taken.has(seat.zone)) tooMany.push(seat.id);
    else taken.set(seat.zone, seat.id);
  }
  const free = new Set([...processes.values()].flatMap((process) => (maySit(survey, process) ? [process.zone] : [])));
  return tooMany.slice(0, [...free].filter((zone) => zone !== null && !taken.has(zone)).length);
}

/** Has a disk to remember on, and stays. */
function maySit(survey: Survey, { id, role, responds, excluded }: Process): boolean {
  const holdsData = mayHoldData(survey.snapshot.spec.engine, role);
  return holdsData && isTrue(responds) && isFalse(excluded) && !isLeaving(survey, id);
}

function move(survey: Survey, quorum: Quorum, processes: readonly ProcessId[], step: StepBuilder): void {
  const said = { quorum: quorum.name, members: processes };
  const unsettled = settling(survey);
  const hold =
    reasonToLeaveAlone(survey, name(quorum.name), 'keep a dead seat for now') ??
    reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, name(quorum.id), 'HandOff')) ??
    (unsettled === undefined ? undefined : reasons.seatStays({ ...said, ...unsettled }));
  if (hold !== undefined) step.hold(null, hold);
  else step.act({ act: 'reseat', quorum: quorum.id, processes, reason: reasons.deadSeat(said) });
}

const quorumsOf = ({ engine }: Survey): readonly Quorum[] =>
  (engine.topology?.quorums ?? []).filter(({ membersMove }) => membersMove).sort((a, b) => (a.id < b.id ? -1 : 1));

/** The step that moves the seats of those that leave has it in hand. */
function isLeaving({ engine, groups }: Survey, process: ProcessId): boolean {
  const id = engine.processes.get(process)?.group ?? null;
  return id !== null && (groups.get(id)?.removal ?? null) !== null;
}
