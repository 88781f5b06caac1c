import type { ProcessId } from '../../../model/ids.ts';
import { instant, seconds } from '../../../model/time.ts';
import type { Process, Replica, Topology, Unit } from '../../../model/topology.ts';
import type { QuorumLog } from './quorum-log.ts';
import type { Copy, Shard } from './shard.ts';
import { isUpToDate, transferOf } from './shard.ts';
import { leaderOf, servingCopies } from './shard-keeper.ts';
import type { StoreState } from './store-state.ts';

/** What the store says of itself. It cannot look into a disk whose process is silent. */
export function storeTopology(state: StoreState, log: QuorumLog): Topology {
  const shards = state.shards;
  return {
    observedAt: instant(state.options.clock.now()),
    processes: state.table.all().map(({ process }) => viewOfProcess(state, log, process.id)),
    units: shards.map((shard) => viewOfShard(state, shard)),
    quorums: log.view(),
    health: {
      available: shards.every((shard) => leaderOf(state, shard) !== undefined),
      fullyReplicated: shards.every((shard) => servingCopies(state, shard).length >= state.options.replicationFactor),
      toleranceLacks: null,
      zonesThatMayFail: null,
      zonesForCopies: null,
      secondsSinceRecovery: null,
      activeGenerations: null,
      maintenance: null,
      caughtUp: null,
    },
  };
}

/** Told to leave, without any copy, and without a seat in the quorum. */
export function isDrained(state: StoreState, log: QuorumLog, id: ProcessId): boolean {
  return state.leaving.has(id) && isEmpty(state, id) && !log.has(id);
}

/** Without any copy. */
export const isEmpty = (state: StoreState, id: ProcessId): boolean =>
  state.shards.every(({ copies }) => copies.every(({ process }) => process !== id));

function viewOfProcess(state: StoreState, log: QuorumLog, id: ProcessId): Process {
  const server = state.table.get(id);
  return {
    id,
    group: server?.process.group ?? null,
    role: server?.process.role ?? state.options.dataRole,
    zone: server?.process.zone ?? null,
    addresses: server === undefined ? [] : [server.process.address],
    responds: state.table.responds(id),
    excluded: state.leaving.has(id),
    drained: isDrained(state, log, id),
    startedAt: server?.startedAt ?? null,
  };
}

function viewOfShard(state: StoreState, shard: Shard): Unit {
  const leader = leaderOf(state, shard);
  return {
    id: shard.id,
    name: `shard ${shard.id}`,
    labels: shard.labels,
    attached: true,
    replicas: listed(state, shard).map((copy) => viewOfCopy(state, leader, copy)),
    writeConcern: state.options.writeConcern,
    copying: copyingOf(state, shard),
    unplaceable: shard.unplaceable,
  };
}

/** A copy on a disk that its process does not use any more is unknown to the store. */
function listed(state: StoreState, shard: Shard): readonly Copy[] {
  return shard.copies.filter((copy) => !state.table.responds(copy.process) || state.isAttached(copy));
}

function viewOfCopy(state: StoreState, leader: Copy | undefined, copy: Copy): Replica {
  const attached = state.isAttached(copy);
  return {
    process: copy.process,
    leader: leader === copy,
    state: copy.complete ? (attached ? 'healthy' : 'failed') : 'rebuilding',
    inSync: attached && isUpToDate(copy),
    running: attached,
    movingAway: state.leaving.has(copy.process),
    doomed: copy.doomed,
  };
}

/** The copy that will be ready first. */
function copyingOf(state: StoreState, shard: Shard): Unit['copying'] {
  if (state.movement.size === 0) return null;
  const under = shard.copies.flatMap((copy) => state.movement.progressOf(transferOf(shard, copy)) ?? []);
  const [first] = under.sort((a, b) => a.secondsLeft - b.secondsLeft);
  if (first === undefined) return null;
  return {
    percent: Math.floor((100 * first.moved) / first.bytes),
    bytes: Math.round(first.bytes),
    secondsLeft: seconds(Math.ceil(first.secondsLeft)),
  };
}
