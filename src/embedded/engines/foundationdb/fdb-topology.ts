import type { Zone } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { unknown } from '../../../model/known.ts';
import { count } from '../../../model/phrases.ts';
import { instant, seconds } from '../../../model/time.ts';
import type { EngineHealth, Process, Topology } from '../../../model/topology.ts';
import type { EngineProcess } from '../model-engine.ts';
import { coordinatorQuorum } from './coordinators.ts';
import type { FdbParts } from './fdb-parts.ts';
import { figuresOf } from './figures.ts';
import { faultTolerance } from './log-generation.ts';
import { rolesOf } from './roles.ts';

/** Research 3.9: maintenance is ended only with lags under a minute. */
const smallLag = 60;

/** What an adapter would make of the status. Like the status it leaves out processes that are not heard, coordinators aside. */
export function fdbTopology(parts: FdbParts): Topology {
  const { state, coordinators } = parts;
  const members = coordinators.members();
  const workers = state.workers();
  // A coordinator that came back with another address is listed as what it is now.
  const absent = members.flatMap(({ process, responds }) =>
    responds || workers.some(({ id }) => id === process.id) ? [] : [process],
  );
  return {
    observedAt: instant(state.options.clock.now()),
    processes: [
      ...workers.map((process) => viewOfProcess(parts, process, true)),
      ...absent.map((process) => viewOfProcess(parts, process, false)),
    ],
    units: [],
    quorums: [
      {
        id: coordinatorQuorum,
        name: 'the coordinators',
        members: members.map(({ process, responds }) => ({ process: process.id, responds, inSync: responds })),
        leader: unknown,
        needed: Math.min(coordinators.needed, members.length),
        membersMove: true,
      },
    ],
    health: healthOf(parts),
  };
}

function viewOfProcess(parts: FdbParts, process: EngineProcess, responds: boolean): Process {
  const { state, transactions } = parts;
  const excluded = state.isExcluded(process);
  // Who holds what is known only while the database is up: a recovery hides roles, it does not end them.
  const drained = !excluded ? false : responds && transactions.isUp ? rolesOf(parts, process).length === 0 : unknown;
  return {
    id: process.id,
    group: process.group,
    role: process.role,
    zone: process.zone,
    addresses: [process.address],
    responds,
    excluded,
    drained,
    startedAt: state.table.get(process.id)?.startedAt ?? null,
  };
}

function healthOf(parts: FdbParts): EngineHealth {
  const { state, maintenance, transactions } = parts;
  const figures = figuresOf(parts);
  const zone = maintenance.zone;
  return {
    available: transactions.isUp,
    fullyReplicated: transactions.isUp ? figures.fullReplication : unknown,
    toleranceLacks: transactions.isUp ? toleranceLacks(parts) : unknown,
    zonesThatMayFail: transactions.isUp ? Math.min(figures.zonesForData, figures.zonesForService) : unknown,
    zonesForCopies: state.configuration === null ? unknown : figures.copies,
    secondsSinceRecovery: transactions.isUp ? seconds(Math.floor(transactions.secondsSinceRecovery)) : unknown,
    activeGenerations: transactions.isUp ? transactions.activeGenerations : unknown,
    maintenance:
      zone === null
        ? 'off'
        : { zone: name<Zone>(zone), until: instant(state.options.clock.now() + maintenance.secondsLeft * 1000) },
    caughtUp: transactions.isUp ? figures.worstLag <= smallLag : unknown,
  };
}

function toleranceLacks({ state, coordinators, transactions }: FdbParts): readonly string[] {
  const reachable = new Set(coordinators.reachable().map(({ address }) => address));
  const { current, old } = transactions;
  const logs = (current === undefined ? [] : [current, ...old]).flatMap((generation) => {
    const losses = faultTolerance(state, generation);
    const wanted = generation.copies - 1;
    return losses >= wanted
      ? []
      : [`its logs bear the loss of ${count(Math.max(0, losses), 'zone')}, not of ${wanted}`];
  });
  const silent = coordinators.addresses.filter((address) => !reachable.has(address));
  return [...new Set([...logs, ...silent.map((address) => `coordinator ${address} does not answer`)])];
}
