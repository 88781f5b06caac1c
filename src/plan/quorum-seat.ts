import type { ProcessId } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Quorum } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';

/** A place in a quorum that someone else has to take before its holder may leave. */
export interface Seat {
  readonly quorum: Quorum;
  readonly processes: readonly ProcessId[];
}

/**
 * The seat that a process group holds in a quorum whose members are moved (FoundationDB's coordinators). A member that the engine does not
 * list as a process any more may belong to any group that is not listed either, so it counts for all of these.
 */
export function seatOf({ engine }: Survey, group: ProcessGroup): Seat | undefined {
  const own = engine.processesOf.get(group.id) ?? [];
  const listed = own.flatMap(({ id }) => engine.quorumsOf.get(id) ?? []);
  const quorums = own.length > 0 ? listed : (engine.topology?.quorums ?? []);
  let seat: Seat | undefined;
  for (const quorum of quorums) {
    if (!quorum.membersMove || (seat !== undefined && seat.quorum.id <= quorum.id)) continue;
    const members = quorum.members.map(({ process }) => process);
    const processes = members.filter((id) =>
      own.length > 0 ? own.some((process) => process.id === id) : !engine.processes.has(id),
    );
    if (processes.length > 0) seat = { quorum, processes: processes.sort() };
  }
  return seat;
}
