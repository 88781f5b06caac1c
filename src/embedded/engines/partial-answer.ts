import type { Random } from '../../kube/random.ts';
import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import type { EngineHealth, Topology } from '../../model/topology.ts';

/** How many facts of a partial answer are missing. */
const missing = 0.3;

/**
 * The same topology with some facts unknown. A fact is left out, never changed: a half answer that lies is a different fault, and no
 * reader could be blamed for believing it.
 */
export function partialAnswer(topology: Topology, random: Random): Topology {
  const maybe = <T>(fact: Known<T>): Known<T> => (random.next() < missing ? unknown : fact);
  return {
    ...topology,
    processes: topology.processes.map((process) => ({
      ...process,
      responds: maybe(process.responds),
      excluded: maybe(process.excluded),
      drained: maybe(process.drained),
    })),
    units: topology.units.map((unit) => ({
      ...unit,
      attached: maybe(unit.attached),
      replicas: unit.replicas.map((replica) => ({
        ...replica,
        state: maybe(replica.state),
        inSync: maybe(replica.inSync),
        running: maybe(replica.running),
      })),
    })),
    quorums: topology.quorums.map((quorum) => ({
      ...quorum,
      leader: maybe(quorum.leader),
      members: quorum.members.map((member) => ({
        ...member,
        responds: maybe(member.responds),
        inSync: maybe(member.inSync),
      })),
    })),
    health: partialHealth(topology.health, maybe),
  };
}

function partialHealth(health: EngineHealth, maybe: <T>(fact: Known<T>) => Known<T>): EngineHealth {
  const figure = <T>(fact: Known<T> | null): Known<T> | null => (fact === null ? null : maybe(fact));
  return {
    available: maybe(health.available),
    fullyReplicated: maybe(health.fullyReplicated),
    toleranceLacks: figure(health.toleranceLacks),
    zonesThatMayFail: figure(health.zonesThatMayFail),
    zonesForCopies: figure(health.zonesForCopies),
    secondsSinceRecovery: figure(health.secondsSinceRecovery),
    activeGenerations: figure(health.activeGenerations),
    maintenance: figure(health.maintenance),
    caughtUp: figure(health.caughtUp),
  };
}
