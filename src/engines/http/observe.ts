import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { unknown } from '../../model/known.ts';
import type { Instant, Seconds } from '../../model/time.ts';
import { instant, seconds } from '../../model/time.ts';
import type { EngineHealth, Process, Quorum, Replica, Topology, Unit } from '../../model/topology.ts';
import { contradictionsInTopology } from '../../model/topology-contradictions.ts';
import { EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';
import type { ContractTopology } from './contract.schema.ts';

/** Which process group a process runs in, by the name of its pod, else by its addresses; undefined: in none that is known. */
export type GroupOf = (pod: string | undefined, addresses: readonly string[]) => ProcessGroupId | undefined;

type Of<List extends 'processes' | 'units' | 'quorums'> = ContractTopology[List][number];

/** What the answer tells, in Drover's words. Throws `EngineUnreachable` where it is not whole, or contradicts itself. */
export function topologyOf(document: ContractTopology, observedAt: Instant, groupOf: GroupOf): Topology {
  const { incomplete, roles, processes, units, quorums, health } = document;
  if (typeof incomplete === 'string')
    throw new EngineUnreachable(`the topology is not whole (${excerpt(incomplete)}): it is read again later`);
  const twice = roles.find(({ name: role }, index) => roles.findIndex((one) => one.name === role) < index);
  if (twice !== undefined) throw contradicting(`a second role ${twice.name}`);
  const topology: Topology = {
    observedAt,
    processes: processes.map((process) => processOf(process, groupOf)),
    units: units.map(unitOf),
    quorums: quorums.map(quorumOf),
    health: healthOf(health),
    kinds: Object.fromEntries(roles.map((role) => [role.name, role.kind])),
  };
  const [first] = contradictionsInTopology(topology);
  if (first === undefined) return topology;
  throw contradicting(first.message);
}

const contradicting = (what: string): EngineUnreachable =>
  new EngineUnreachable(
    `the topology contradicts itself (${excerpt(what)}): nothing of it is used, it is read again later`,
  );

const processOf = (process: Of<'processes'>, groupOf: GroupOf): Process => ({
  id: name(process.id),
  group: groupOf(process.pod ?? undefined, process.addresses) ?? null,
  role: name(process.role),
  zone: process.zone === null || process.zone === undefined ? null : name(process.zone),
  // What it is known by is what shows later that it was ever there: one without would be taken for one that never ran.
  addresses: process.addresses.length > 0 ? process.addresses : [process.id],
  responds: process.responds ?? unknown,
  excluded: process.excluded ?? unknown,
  drained: process.drained ?? unknown,
  startedAt: momentOf(process.startedAt),
});

const unitOf = (unit: Of<'units'>): Unit => ({
  id: name(unit.id),
  name: excerpt(unit.name ?? `unit ${unit.id}`),
  labels: unit.labels,
  attached: unit.attached ?? unknown,
  replicas: unit.replicas.map(replicaOf),
  writeConcern: unit.writeConcern ?? null,
  copying:
    unit.copying === null || unit.copying === undefined
      ? null
      : {
          percent: unit.copying.percent,
          bytes: unit.copying.bytes ?? null,
          secondsLeft: lengthOf(unit.copying.secondsLeft),
        },
  unplaceable: unit.unplaceable === null || unit.unplaceable === undefined ? null : excerpt(unit.unplaceable),
});

const replicaOf = (replica: Of<'units'>['replicas'][number]): Replica => ({
  process: name(replica.process),
  leader: replica.leader,
  state: replica.state ?? unknown,
  inSync: replica.inSync ?? unknown,
  running: replica.running ?? unknown,
  movingAway: replica.movingAway,
  doomed: replica.doomed,
});

const quorumOf = ({ id, name: called, members, leader, needed }: Of<'quorums'>): Quorum => ({
  id: name(id),
  name: excerpt(called ?? `quorum ${id}`),
  members: members.map(({ process, responds, inSync }) => ({
    process: name(process),
    responds: responds ?? unknown,
    inSync: inSync ?? unknown,
  })),
  leader: leader === undefined || leader === unknown ? unknown : leader === null ? null : name(leader),
  needed: needed ?? Math.floor(members.length / 2) + 1,
  membersMove: false,
});

function healthOf(health: ContractTopology['health']): EngineHealth {
  const { available, fullyReplicated, zonesThatMayFail, secondsSinceRecovery } = health;
  return {
    available: available ?? unknown,
    fullyReplicated: fullyReplicated ?? unknown,
    toleranceLacks: null,
    zonesThatMayFail: zonesThatMayFail ?? null,
    zonesForCopies: null,
    secondsSinceRecovery: secondsSinceRecovery === unknown ? unknown : lengthOf(secondsSinceRecovery),
    activeGenerations: null,
    maintenance: null,
    caughtUp: null,
  };
}

const lengthOf = (length: number | null | undefined): Seconds | null =>
  length === null || length === undefined ? null : seconds(length);

const momentOf = (text: string | null | undefined): Instant | null =>
  text === null || text === undefined ? null : instant(Date.parse(text));
