import type { Engine } from '../../engines/engine.ts';
import type { Millis } from '../../kube/clock.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Action } from '../../model/decision.ts';
import type { ProcessGroupId, Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Job, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import { jobsAfter } from '../../plan/apply-records.ts';
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
import { isNews, isNoError } from '../no-error.ts';
import type { NodesOnDemand } from '../seen/nodes-on-demand.ts';
import { jobsNeeded, jobsTold } from '../status/jobs-told.ts';
import type { Notes } from '../status/notes.ts';
import { runningJobs } from '../status/running-jobs.ts';
import type { Place } from './act-on-kubernetes.ts';
import { actOnKubernetes } from './act-on-kubernetes.ts';
import type { LabelledObject } from './adoption.ts';
import { adoption } from './adoption.ts';
import type { BootstrapState } from './bootstrap.ts';
import { bootstrap } from './bootstrap.ts';
import type { Cluster } from './cluster.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';
import { coreSpecOf } from './core-spec.ts';
import type { CoordinatorCandidate } from './first-coordinators.ts';
import type { Decided, Turns } from './fleet/turns.ts';
import type { Objects } from './objects.ts';
import type { OwnDeletes } from './own-deletes.ts';
import type { Recorded } from './recorded.ts';
import { recordedIn } from './recorded.ts';
import type { RefusedObjects } from './refused-objects.ts';
import { isRefusal } from './refused-objects.ts';
import type { PodView } from './seen/pod.ts';
import { surroundingsOf } from './surroundings.ts';
import { takeOwnership } from './take-ownership.ts';
import { withAdopted } from './with-adopted.ts';

/** A cluster as those who ask for its pods know it. */
export const guardOf = ({ key }: Pick<Cluster, 'key'>) => guardKey('StatefulCluster', key);

/** What a round works with. */
export interface RoundParts extends AskSources {
  readonly context: ControllerContext;
  readonly objects: Objects;
  readonly deletes: OwnDeletes;
  readonly nodes: NodesOnDemand;
  readonly engines: EngineRoom;
  readonly connections: ConnectionKeeper;
  readonly notes: Notes;
  readonly refused: RefusedObjects;
  readonly turns: Turns;
  /** Writes the status that the decision leads to; nothing is done before that. */
  readonly record: (cluster: Cluster, made: Made, signal: AbortSignal) => Promise<void>;
}

/** What was decided, and what else there is to record. */
export interface Made extends Decided {
  readonly jobs: readonly Job[];
  readonly bootstrappedAt: Instant | null;
  readonly asking: Asking;
  readonly lock: LockState;
}

/**
 * One look at a cluster: what is on record, what is there, what the engine says; decided, recorded, done, in this order. Gives the time until
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

async function look(parts: RoundParts, cluster: Cluster, lock: LockState, signal: AbortSignal): Promise<Millis> {
  const { engines, connections, context } = parts;
  const found = adoption(cluster, parts.objects.labelled(cluster));
  const recorded = withAdopted(recordedIn(cluster.status), found);
  const whereabouts = { client: context.client, connections, pods: () => parts.objects.podsOf(cluster) };
  const engine = engines.engineOf(cluster, surroundingsOf(cluster, recorded, whereabouts));
  if (engine === undefined) throw new Error(`there is no engine for ${cluster.spec.engine.type}`);
  const now = instant(context.clock.now());
  const ready = () => readyOnes(parts.objects, cluster, recorded);
  const state = await bootstrap({ cluster, engine, connections, ready, now }, signal);
  if (watchesTaints(cluster)) await parts.nodes.look(signal);
  const heard = await hear(parts, cluster, state, signal);
  const first = decideAbout(parts, cluster, recorded, { ...heard, state, lock });
  const made = { ...first, ...(await withQuotas(parts, cluster, first, signal)), lock };
  context.witness?.decided(made.snapshot, made.decision);
  await parts.record(cluster, made, signal);
  publish(context.desk, guardOf(cluster), made);
  engines.spare(cluster.key, leavingBy(made));
  if (typeof engine.connectionString === 'string') await connections.write(cluster, engine.connectionString, signal);
  for (const object of found.unowned) await own(parts, cluster, object, signal);
  for (const action of made.decision.actions) await act(parts, { cluster, engine, made }, action, signal);
  await closeStrays(turnkeyFor(context, cluster, made.after.processGroups), made.after, signal);
  context.desk.conclude(made.asking.heard);
  return untilNext(made, parts.notes.size(cluster.key), engines.patienceWith(cluster.key));
}

const watchesTaints = ({ spec }: Cluster): boolean =>
  spec.automationOptions.replacements.taintReplacementOptions.length > 0;

async function hear(
  { engines, connections }: RoundParts,
  cluster: Cluster,
  state: BootstrapState,
  signal: AbortSignal,
): Promise<Heard> {
  if (state.is === 'coming') {
    const { topology, jobs } = engines.silence(cluster.key, state.why);
    return { topology: { ...topology, setUpWaitsFor: state.waitsFor }, jobs };
  }
  await connections.read(cluster, signal);
  return engines.listen(cluster.key, signal);
}

/** Quotas are read when they matter for the first time; what was decided without them is then decided again. */
async function withQuotas(
  { turns }: RoundParts,
  cluster: Cluster,
  decided: Decided,
  signal: AbortSignal,
): Promise<Decided> {
  if (!turns.isBlindTo(decided)) return decided;
  await turns.look(signal);
  return turns.decide(cluster, decided.snapshot);
}

/** What there is to go by besides the objects. */
interface Found extends Heard {
  readonly state: BootstrapState;
  readonly lock: LockState;
}

function decideAbout(
  parts: RoundParts,
  cluster: Cluster,
  recorded: Recorded,
  { topology, jobs, state, lock }: Found,
): Omit<Made, 'lock'> {
  const { objects, deletes, context, notes, turns } = parts;
  const spec = coreSpecOf(cluster);
  const now = instant(context.clock.now());
  const processGroups = recorded.rows.map((row) => {
    const seen = objects.of(cluster, row);
    return { ...row, ...seen, pod: deletes.seen(cluster.key, row.id, seen.pod) };
  });
  const uids = new Set(processGroups.map(({ pod }) => pod?.uid));
  const noted = notes.of(cluster.key);
  const told = jobsNeeded(withoutLifted(jobsTold(recorded.jobs, noted.jobs), lock), processGroups, now);
  const refused = parts.refused.of(cluster);
  const nodes = nodesFor(parts, cluster, recorded, spec);
  const pods = objects.podsOf(cluster);
  const asking = askingOf(parts, guardOf(cluster), {
    now,
    groups: processGroups,
    nodes,
    leaving: parts.nodes.leaving(),
    recorded: recorded.asks,
    pods,
  });
  const snapshot: Snapshot = {
    cluster: name(cluster.key),
    now,
    spec,
    processGroups,
    nodes,
    topology,
    grants: seenGrants(recorded.grants, noted, { uids, now }),
    asks: asking.rows.filter(({ pod }) => uids.has(pod)).map(askOf),
    jobs: [...jobs, ...told, ...refused],
    nextGroupNumber: recorded.nextGroupNumber,
    lastRemovalAt: recorded.lastRemovalAt,
    maintenance: recorded.maintenance,
    share: { reserved: 'all', quota: null },
    ...(lock.is === 'missing' && lock.budgets.length > 0 && { missingBudgets: lock.budgets }),
  };
  const decided = turns.decide(cluster, snapshot);
  const bootstrappedAt = state.is === 'up' ? state.since : null;
  const rows = decided.after.processGroups;
  const kept = [
    ...jobsNeeded(jobsAfter(told, decided.decision.records, now), rows, now),
    ...refused,
    ...runningJobs(jobs, rows),
  ];
  return { ...decided, jobs: kept, bootstrappedAt, asking };
}

/** Nodes are read where something in the spec asks for it, or someone for a pod: whoever uses none of this need not let Drover read them. */
function nodesFor(parts: RoundParts, cluster: Cluster, recorded: Recorded, spec: ClusterSpec): Snapshot['nodes'] {
  const isAsked = spec.replacements.taints.length > 0 || spec.trigger === 'Cordon';
  if (!isAsked && !mayBeAsked(parts, guardOf(cluster), recorded.asks)) return null;
  return parts.nodes.seen(cluster.spec.faultDomain.key);
}

/** One that was taken by somebody else in the meantime is theirs. */
async function own(
  { context: { client, logger } }: RoundParts,
  cluster: Cluster,
  object: LabelledObject,
  signal: AbortSignal,
): Promise<void> {
  const about = { cluster: cluster.key, what: object.what, object: object.key };
  try {
    await takeOwnership(client, cluster, object, signal);
    logger.info('adopted what nothing owned', about);
  } catch (error) {
    if (!isNews(error)) throw error;
    logger.info('not adopted, looking again', { ...about, error });
  }
}

/** What an action is about. */
interface Doing {
  readonly cluster: Cluster;
  readonly engine: Engine;
  readonly made: Made;
}

/** Makes one, or makes room for one that is to be made the moment after. */
const makesObject = (action: Action): action is Extract<Action, { readonly act: 'create' | 'delete-pod' }> =>
  action.act === 'create' || action.act === 'delete-pod';

async function act(
  { context, deletes, engines, notes, objects, refused }: RoundParts,
  { cluster, engine, made }: Doing,
  action: Action,
  signal: AbortSignal,
): Promise<void> {
  const roleOf = (group: ProcessGroupId) => made.after.processGroups.find(({ id }) => id === group)?.role;
  const kept = (group: ProcessGroupId) => objects.kept(cluster, { id: group });
  const lock = turnkeyFor(context, cluster, made.after.processGroups);
  const hasService = (group: ProcessGroupId) =>
    made.snapshot.processGroups.find(({ id }) => id === group)?.service === 'present';
  const isMadeAgain = (group: ProcessGroupId) =>
    made.after.processGroups.some(({ id, removal }) => id === group && removal === null);
  const remember: Place['remember'] = (group, uid, work) =>
    deletes.keep(cluster.key, group, { uid, at: made.snapshot.now }, work);
  const place: Place = { client: context.client, cluster, roleOf, kept, hasService, isMadeAgain, remember, lock };
  try {
    await actOnEngine(engine, action, signal);
    await actOnKubernetes(place, action, signal);
    notes.done(cluster.key, action, made.snapshot.now);
    if (makesObject(action)) refused.clear(cluster, action.group);
  } catch (error) {
    const isRefused = makesObject(action) && isRefusal(error);
    const held = refusedJob(action, error, made.jobs, made.snapshot.now);
    if (held !== undefined) notes.told(cluster.key, held);
    else if (isRefused) refused.note(cluster, action.group, error, made.snapshot.now);
    else if (!isNoError(error)) throw error;
    const about = 'group' in action ? { group: action.group } : {};
    context.logger.info('not done, looking again', { cluster: cluster.key, act: action.act, ...about, error });
  } finally {
    engines.stir(cluster.key);
  }
}

function readyOnes(objects: Objects, cluster: Cluster, { rows }: Recorded): readonly CoordinatorCandidate[] {
  const pods = objects.podsOf(cluster);
  return rows.flatMap((row): CoordinatorCandidate[] => {
    const view = pods.find(({ belonging }) => belonging?.group === row.id);
    if (view === undefined || !view.pod.ready) return [];
    const address = objects.kept(cluster, row).publicIP ?? view.addresses[0] ?? null;
    return [{ group: row.id, role: row.role, zone: zoneOf(view, cluster), address }];
  });
}

/** By the node's name where each node is a zone, else by what Kubernetes has copied from the node. */
function zoneOf({ pod, labels }: PodView, { spec }: Cluster): Zone | null {
  const { key } = spec.faultDomain;
  const zone = key === 'kubernetes.io/hostname' ? pod.node : labels[key];
  return zone === undefined || zone === null ? null : name<Zone>(zone);
}
