import type { ProcessId } from '../../model/ids.ts';
import type { Quorum, Topology, Unit } from '../../model/topology.ts';

/**
 * What an engine says before it has noticed that some of its processes are gone: of those, what it said the last time that it heard of them.
 * Every engine needs a while for this, and says for so long that all is well. What it was told about them, and what it has moved away from them, it knows
 * all the same.
 */
export function beforeItIsNoticed(now: Topology, before: Topology, gone: ReadonlySet<ProcessId>): Topology {
  if (gone.size === 0) return now;
  const processes = new Map(before.processes.map((process) => [process.id, process]));
  const units = new Map(before.units.map((unit) => [unit.id, unit]));
  const quorums = new Map(before.quorums.map((quorum) => [quorum.id, quorum]));
  return {
    ...now,
    processes: now.processes.map((process) => {
      const { excluded, drained } = process;
      return gone.has(process.id) ? { ...process, ...processes.get(process.id), excluded, drained } : process;
    }),
    units: now.units.map((unit) => unitAsBefore(unit, units.get(unit.id), gone)),
    quorums: now.quorums.map((quorum) => quorumAsBefore(quorum, quorums.get(quorum.id), gone)),
    health: before.health,
  };
}

function unitAsBefore(unit: Unit, before: Unit | undefined, gone: ReadonlySet<ProcessId>): Unit {
  if (before === undefined) return unit;
  const old = new Map(before.replicas.map((replica) => [replica.process, replica]));
  return {
    ...unit,
    replicas: unit.replicas.map((copy) => (gone.has(copy.process) ? (old.get(copy.process) ?? copy) : copy)),
  };
}

function quorumAsBefore(quorum: Quorum, before: Quorum | undefined, gone: ReadonlySet<ProcessId>): Quorum {
  if (before === undefined) return quorum;
  const old = new Map(before.members.map((member) => [member.process, member]));
  return {
    ...quorum,
    members: quorum.members.map((member) => (gone.has(member.process) ? (old.get(member.process) ?? member) : member)),
    leader: quorum.leader ?? before.leader,
  };
}
