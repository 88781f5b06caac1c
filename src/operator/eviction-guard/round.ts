import { decide } from '../../decide.ts';
import type { Engine } from '../../engines/engine.ts';
import type { Millis } from '../../kube/clock.ts';
import type { Action, Decision } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Job, Snapshot } from '../../model/snapshot.ts';
import { instant } from '../../model/time.ts';
import { applyRecords, jobsAfter } from '../../plan/apply-records.ts';
import type { ControllerContext } from '../controller.ts';
import { actOnEngine } from '../engine-room/act-on-engine.ts';
import type { EngineRoom, Heard } from '../engine-room/engine-room.ts';
import { leavingBy } from '../engine-room/leaving-by.ts';
import { untilNext } from '../engine-room/next-look.ts';
import { askOf } from '../lock/ask-row.ts';
import type { Asking, AskSources } from '../lock/asking.ts';
import { askingOf, mayBeAsked, publish } from '../lock/asking.ts';
import { closeStrays } from '../lock/close-strays.ts';
import { guardKey } from '../lock/desk.ts';
import { refusedJob, withoutLifted } from '../lock/held-by-budget.ts';
import type { LockState } from '../lock/lock-state.ts';
import { seenGrants } from '../lock/seen-grants.ts';
import { turnkeyFor } from '../lock/turnkey-for.ts';
import { isNoError } from '../no-error.ts';
import type { NodesOnDemand } from '../seen/nodes-on-demand.ts';
import type { ConnectionKeeper } from '../stateful-cluster/connection-keeper.ts';
import { jobsNeeded, jobsTold } from '../status/jobs-told.ts';
import type { Notes } from '../status/notes.ts';
import { runningJobs } from '../status/running-jobs.ts';
import type { Guard } from './guard.ts';
import { guardSpecOf } from './guard-spec.ts';
import { guardSurroundings } from './guard-surroundings.ts';
import type { Member } from './members.ts';
import { groupsOf } from './members.ts';
import type { NamespaceSeen } from './pods-on-demand.ts';
import type { RecordedGuard } from './recorded-guard.ts';
import { recordedInGuard } from './recorded-guard.ts';

/** A guard as those who ask for its pods know it. */
export const guardOf = ({ key }: Pick<Guard, 'key'>) => guardKey('EvictionGuard', key);

/** What a round works with. */
export interface RoundParts extends AskSources {
  readonly context: ControllerContext;
  readonly nodes: NodesOnDemand;
  readonly engines: EngineRoom;
  readonly connections: ConnectionKeeper;
  readonly notes: Notes;
  /** Writes the status that the decision leads to; nothing is done before that. */
  readonly record: (guard: Guard, made: Made, signal: AbortSignal) => Promise<void>;
}

/** What was decided, and from what. */
export interface Made {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  /** The snapshot once everything is recorded. */
  readonly after: Snapshot;
  readonly jobs: readonly Job[];
  readonly asking: Asking;
  readonly lock: LockState;
}

/** What a round is about. */
export interface Subject {
  readonly guard: Guard;
  readonly members: readonly Member[];
  readonly seen: NamespaceSeen;
  readonly lock: LockState;
}

/** Nodes have no fault domain key in a guard: where the engine names no zone, each node is one. */
const eachNode = 'kubernetes.io/hostname';

/**
 * One look at a guard: what is on record, which pods are there, what the engine says; decided, recorded, done, in this order. Gives the time until
 * the next look, if nothing happens before.
 */
export async function round(...looked: Parameters<typeof look>): Promise<Millis> {
  const [{ context }] = looked;
  const ends = context.witness?.looks();
  try {
    return await look(...looked);
  } finally {
    ends?.();
  }
}

async function look(parts: RoundParts, subject: Subject, signal: AbortSignal): Promise<Millis> {
  const { engines, connections, context, notes } = parts;
  const { guard, members, seen, lock } = subject;
  const recorded = recordedInGuard(guard.status);
  const groups = groupsOf(members, seen, recorded.pods);
  const whereabouts = { client: context.client, connections };
  const engine = engines.engineOf(guard, guardSurroundings(guard, members, groups, whereabouts));
  if (engine === undefined) throw new Error(`there is no engine for ${guard.spec.engine.type}`);
  await connect(connections, guard, signal);
  const heard = await engines.listen(guard.key, signal);
  const made = { ...decideAbout(parts, subject, groups, recorded, heard), lock };
  context.witness?.decided(made.snapshot, made.decision);
  await parts.record(guard, made, signal);
  publish(context.desk, guardOf(guard), made);
  engines.spare(guard.key, leavingBy(made));
  for (const action of made.decision.actions) await act(parts, { guard, engine, made }, action, signal);
  await closeStrays(turnkeyFor(context, guard, made.after.processGroups), made.after, signal);
  context.desk.conclude(made.asking.heard);
  return untilNext(made, notes.size(guard.key), engines.patienceWith(guard.key));
}

/** Where the engine is found by a connection string that people keep. One that is not there yet is looked for again the next time. */
async function connect(connections: ConnectionKeeper, guard: Guard, signal: AbortSignal): Promise<void> {
  if (guard.spec.engine.foundationdb?.connectionString === undefined) return;
  if ((await connections.read(guard, signal)) === null) connections.leave(guard.key);
}

function decideAbout(
  parts: RoundParts,
  { guard, members, lock }: Subject,
  processGroups: readonly ProcessGroup[],
  recorded: RecordedGuard,
  { topology, jobs }: Heard,
): Omit<Made, 'lock'> {
  const { context, notes } = parts;
  const spec = guardSpecOf(guard.spec);
  const now = instant(context.clock.now());
  const uids = new Set(processGroups.map(({ pod }) => pod?.uid));
  const noted = notes.of(guard.key);
  const told = jobsNeeded(withoutLifted(jobsTold(recorded.jobs, noted.jobs), lock), processGroups, now);
  const readsNodes = spec.trigger === 'Cordon' || mayBeAsked(parts, guardOf(guard), recorded.asks);
  const nodes = readsNodes ? parts.nodes.seen(eachNode) : null;
  const pods = members.map(({ view }) => view);
  const asking = askingOf(parts, guardOf(guard), {
    now,
    groups: processGroups,
    nodes,
    leaving: parts.nodes.leaving(),
    recorded: recorded.asks,
    pods,
  });
  const snapshot: Snapshot = {
    cluster: name(guard.key),
    now,
    spec,
    processGroups,
    nodes,
    topology,
    grants: seenGrants(recorded.grants, noted, { uids, now }),
    asks: asking.rows.filter(({ pod }) => uids.has(pod)).map(askOf),
    jobs: [...jobs, ...told],
    nextGroupNumber: 1,
    lastRemovalAt: null,
    maintenance: null,
    share: { reserved: 'all', quota: null },
  };
  const decision = decide(snapshot);
  const after = applyRecords(snapshot, decision.records);
  const kept = [
    ...jobsNeeded(jobsAfter(told, decision.records, now), after.processGroups, now),
    ...runningJobs(jobs, after.processGroups),
  ];
  return { snapshot, decision, after, jobs: kept, asking };
}

/** What an action is about. */
interface Doing {
  readonly guard: Guard;
  readonly engine: Engine;
  readonly made: Made;
}

async function act(parts: RoundParts, doing: Doing, action: Action, signal: AbortSignal): Promise<void> {
  const { context, engines, notes } = parts;
  const { guard, engine, made } = doing;
  try {
    await actOnEngine(engine, action, signal);
    if (action.act === 'let-go' || action.act === 'close') {
      await turnkeyFor(context, guard, made.after.processGroups).turn(action, action.group, signal);
    }
    notes.done(guard.key, action, made.snapshot.now);
  } catch (error) {
    const held = refusedJob(action, error, made.jobs, made.snapshot.now);
    if (held !== undefined) notes.told(guard.key, held);
    else if (!isNoError(error)) throw error;
    const about = 'group' in action ? { group: action.group } : {};
    context.logger.info('not done, looking again', { guard: guard.key, act: action.act, ...about, error });
  } finally {
    engines.stir(guard.key);
  }
}
