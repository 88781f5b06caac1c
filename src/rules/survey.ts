import type { NodeName, ProcessGroupId, ProcessId } from '../model/ids.ts';
import { isFalse, unknown } from '../model/known.ts';
import type { Node } from '../model/node.ts';
import { moment } from '../model/phrases.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Ask, Grant, Snapshot } from '../model/snapshot.ts';
import type { Instant, Seconds } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';
import type { Process, Quorum, Replica, Topology, Unit, Unreachable } from '../model/topology.ts';
import { isUnreachable } from '../model/topology.ts';

/** A closed grant still counts for so long: its eviction may have been past the lock when the label closed. */
export const graceAfterClosing = seconds(60);

/** One copy, with the unit that it is a copy of. */
export interface Held {
  readonly unit: Unit;
  readonly replica: Replica;
}

/** What the engine said, indexed. Made once for a decision, because there may be a hundred thousand units. */
export interface EngineIndex {
  readonly topology: Topology | undefined;
  readonly unreachable: Unreachable | undefined;
  readonly processes: ReadonlyMap<ProcessId, Process>;
  /** Listed more than once: which of them is meant is not known, so none is relied on. */
  readonly listedTwice: ReadonlySet<ProcessId>;
  readonly processesOf: ReadonlyMap<ProcessGroupId, readonly Process[]>;
  readonly heldBy: ReadonlyMap<ProcessId, readonly Held[]>;
  /** The units that a process leads, each once. */
  readonly ledBy: ReadonlyMap<ProcessId, readonly Unit[]>;
  readonly quorumsOf: ReadonlyMap<ProcessId, readonly Quorum[]>;
}

/** A snapshot that can be asked. Cheap to make again when only the recorded part of the snapshot changed. */
export interface Survey {
  readonly snapshot: Snapshot;
  readonly engine: EngineIndex;
  readonly groups: ReadonlyMap<ProcessGroupId, ProcessGroup>;
  /** undefined: nodes are not read. */
  readonly nodes: ReadonlyMap<NodeName, Node> | undefined;
  readonly asks: ReadonlyMap<ProcessGroupId, readonly Ask[]>;
  /** The process groups that were let go, and the processes in them: counted as gone, whatever the engine still says. */
  readonly letGo: ReadonlySet<ProcessGroupId>;
  /** And what is said of them. */
  readonly gone: ReadonlyMap<ProcessId, string>;
}

export function indexEngine(view: Topology | Unreachable): EngineIndex {
  const topology = isUnreachable(view) ? undefined : view;
  const processes = new Map<ProcessId, Process>();
  const listedTwice = new Set<ProcessId>();
  const processesOf = new Map<ProcessGroupId, Process[]>();
  const heldBy = new Map<ProcessId, readonly Held[]>();
  const ledBy = new Map<ProcessId, readonly Unit[]>();
  const quorumsOf = new Map<ProcessId, Quorum[]>();
  for (const process of topology?.processes ?? []) {
    const other = processes.get(process.id);
    if (other !== undefined) listedTwice.add(process.id);
    processes.set(process.id, other === undefined ? process : oneOfTwo(other, process));
    if (process.group !== null) push(processesOf, process.group, process);
  }
  // The order in which the engine lists them means nothing, and must not show in a decision.
  for (const processes of processesOf.values()) processes.sort(byId);
  for (const [process, { held, led }] of seatsIn(topology?.units ?? [])) {
    heldBy.set(process, held);
    if (led.length > 0) ledBy.set(process, led);
  }
  for (const quorum of [...(topology?.quorums ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    for (const { process } of quorum.members) push(quorumsOf, process, quorum);
  }
  const unreachable = isUnreachable(view) ? view : undefined;
  return { topology, unreachable, processes, listedTwice, processesOf, heldBy, ledBy, quorumsOf };
}

interface Seat {
  readonly held: Held[];
  readonly led: Unit[];
}

/** What each process holds and leads: one look-up for each copy, because there are so many. */
function seatsIn(units: readonly Unit[]): ReadonlyMap<ProcessId, Seat> {
  const seats = new Map<ProcessId, Seat>();
  for (const unit of units) {
    for (const replica of unit.replicas) {
      let seat = seats.get(replica.process);
      if (seat === undefined) {
        seat = { held: [], led: [] };
        seats.set(replica.process, seat);
      }
      seat.held.push({ unit, replica });
      if (replica.leader && seat.led.at(-1) !== unit) seat.led.push(unit);
    }
  }
  return seats;
}

function byId(a: Process, b: Process): number {
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** A process that the engine lists twice: which of the two is meant, and so how it is, nobody knows. */
function oneOfTwo(a: Process, b: Process): Process {
  return { ...(byId(a, b) < 0 ? a : b), responds: unknown, excluded: unknown, drained: unknown };
}

export function surveyOf(snapshot: Snapshot, engine: EngineIndex = indexEngine(snapshot.topology)): Survey {
  const asks = new Map<ProcessGroupId, Ask[]>();
  for (const ask of snapshot.asks) push(asks, ask.group, ask);
  const counted = snapshot.grants.filter((grant) => countsAsGone(grant, snapshot));
  const gone = new Map<ProcessId, string>();
  for (const grant of counted)
    for (const { id } of engine.processesOf.get(grant.group) ?? []) gone.set(id, sayGone(grant, snapshot));
  return {
    snapshot,
    engine,
    groups: new Map(snapshot.processGroups.map((group) => [group.id, group])),
    nodes: snapshot.nodes === null ? undefined : new Map(snapshot.nodes.map((node) => [node.name, node])),
    asks,
    letGo: new Set(counted.map(({ group }) => group)),
    gone,
  };
}

/**
 * Whether a grant still takes its process out of every calculation: until the pod is gone and an observation that began afterwards shows
 * the result, or until it was closed by a real write and the grace is over. An unknown outcome counts as granted.
 */
export function countsAsGone(grant: Grant, snapshot: Snapshot): boolean {
  const { topology, now } = snapshot;
  if (grant.goneAt !== null) return isUnreachable(topology) || !showsResult(topology, grant, grant.goneAt);
  if (grant.closedAt === null) return true;
  return now < dueAt(grant.closedAt, graceAfterClosing);
}

/** Engines take a while to notice that a process is dead. Whatever they say after this they have noticed, unless their own words belie it. */
const noticedWithin = seconds(60);
/** One that says so long after a pod was gone that the process in it responds has another idea of processes, or of time, than we have. */
const believedAfter = seconds(600);
/** So far the clocks of an engine may be from ours, and what began so much before a pod was let go did not begin after that. */
const clocksDiffer = seconds(120);
/** One that knows of a new life of a process has its copies sorted out by then: some list them as they were for a moment. */
const sortedOutWithin = seconds(15);

/**
 * Whether what the engine says is about the time after the pod was gone: none of its processes is taken for the one that ran there. One that
 * responds, or of which that is not known, may be a dead one that nobody has missed yet, or a new one that is still taken for the old one and its copies.
 */
function showsResult({ observedAt, processes }: Topology, { group, grantedAt }: Grant, goneAt: Instant): boolean {
  if (observedAt <= goneAt) return false;
  const isAfter = (time: Seconds) => observedAt >= dueAt(goneAt, time);
  const responding = processes.filter((process) => process.group === group && !isFalse(process.responds));
  if (isAfter(noticedWithin))
    return isAfter(believedAfter) || !responding.some((process) => isOfBefore(process, grantedAt));
  return responding.every(({ startedAt }) => startedAt !== null && startedAt > grantedAt && isAfter(sortedOutWithin));
}

/**
 * From when on what the engine says of a process is about the life that began then: one that came back before anybody missed it is listed with all that
 * the last one held, up to date or not.
 */
export function noticedAt(began: Instant, { startedAt }: Process): Instant {
  return dueAt(began, startedAt !== null && startedAt >= began ? sortedOutWithin : noticedWithin);
}

/** With the time before which nobody takes it for back, where its pod is gone and that is known. */
function sayGone(grant: Grant, { topology }: Snapshot): string {
  if (grant.goneAt === null || isUnreachable(topology)) return 'let go';
  const { group, grantedAt, goneAt } = grant;
  const responding = topology.processes.filter((process) => process.group === group && !isFalse(process.responds));
  const isNew = responding.every(({ startedAt }) => startedAt !== null && startedAt > grantedAt);
  const waits = isNew ? [sortedOutWithin, noticedWithin, believedAfter] : [noticedWithin, believedAfter];
  const back = waits.map((time) => dueAt(goneAt, time)).find((due) => topology.observedAt < due);
  return back === undefined ? 'let go' : `let go, not taken for back before ${moment(back)}`;
}

function isOfBefore({ startedAt }: Process, grantedAt: Instant): boolean {
  const latest = startedAt === null ? undefined : dueAt(startedAt, clocksDiffer);
  return latest !== undefined && latest < grantedAt;
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
