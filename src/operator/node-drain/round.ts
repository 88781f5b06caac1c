import { InvalidObjectError } from '../../api/parse.ts';
import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { Millis } from '../../kube/clock.ts';
import { millis, seconds, toTimestamp } from '../../kube/clock.ts';
import type { Next } from '../../kube/controller.ts';
import { after, done } from '../../kube/controller.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import type { Drain, DrainPlan } from '../../model/drain.ts';
import { list } from '../../model/phrases.ts';
import { instant } from '../../model/time.ts';
import { planDrain } from '../../plan/plan-drain.ts';
import type { ControllerContext } from '../controller.ts';
import type { AnyJudgement } from '../status/conditions.ts';
import { withJudgements } from '../status/conditions.ts';
import { momentOrNull } from '../status/moments.ts';
import type { Attached } from './attached.ts';
import { cordon, uncordon } from './cordon.ts';
import type { ReadDrain } from './drain.ts';
import { readDrain } from './drain.ts';
import type { Evictor } from './evictor.ts';
import { hold, isHeld } from './finalizers.ts';
import type { Nodes } from './nodes.ts';
import type { Looking, Resolved, Sight } from './observe.ts';
import { nodesOf, nodesToRead, observe } from './observe.ts';
import type { PodView } from './pod-view.ts';
import type { PodsOnNodes } from './pods-on-nodes.ts';
import type { Record } from './record.ts';
import type { Refusals } from './refusals.ts';
import { refuse } from './refuse.ts';
import { samePhases, statusOf } from './status.ts';
import { blind, notBegun, nothingWaits } from './status-conditions.ts';
import type { Teller } from './teller.ts';

/** What a round works with. */
export interface RoundParts {
  readonly context: ControllerContext;
  readonly sight: Sight & {
    readonly nodes: Nodes;
    readonly pods: PodsOnNodes;
    readonly attached: Attached;
  };
  readonly evictor: Evictor;
  /** What was refused, by drain. */
  readonly refusals: Map<KeyText, Refusals>;
  readonly makeRefusals: () => Refusals;
  readonly record: Record;
  readonly teller: Teller;
}

/** Every drain that is not done is looked at so often, whatever happens: a net under everything that is watched. */
const usually = seconds(30);
/** What others hold up is tried again soon. */
const soon = millis(250);
/** A drain that is done and may have a node to give back, which cannot be read, is no reason to ask all the time. */
const seldom = seconds(300);

/** One look at a drain: planned, recorded, done, in this order. */
export async function round(parts: RoundParts, object: KubeObject, signal: AbortSignal): Promise<Next> {
  const found = readOrRefuse(object);
  if ('refusal' in found) {
    await refuse(parts.context, object, found.refusal, signal);
    return done;
  }
  if (found.status.phase === 'Completed') {
    parts.sight.pods.want(found.name, []);
    return giveBackLate(parts, found, signal);
  }
  await parts.sight.nodes.look(signal);
  const { unreadable } = parts.sight.nodes;
  if (unreadable !== undefined) return noSight(parts, found, unreadable, signal);
  const resolved = nodesOf(found, parts.sight.nodes);
  const wanted = nodesToRead(resolved.names, found);
  parts.sight.pods.want(found.name, wanted);
  // Before anything is done that would have to be undone.
  const read = isHeld(object) ? found : readDrain(await hold(parts.context.client, object, signal));
  if (resolved.names.length === 0 || resolved.missing.length > 0) return noNodes(parts, read, resolved, signal);
  await parts.sight.pods.settled(wanted, seconds(3), signal);
  return work(parts, read, resolved.names, signal);
}

function readOrRefuse(object: KubeObject): ReadDrain | { readonly refusal: string } {
  try {
    return readDrain(object);
  } catch (error) {
    if (error instanceof InvalidObjectError) return { refusal: error.message };
    throw error;
  }
}

/** Nothing is begun while one of its nodes is not there: a slip of the pen must not pass for a node that is drained. */
function noNodes(parts: RoundParts, read: ReadDrain, { missing }: Resolved, signal: AbortSignal): Promise<Next> {
  const message =
    missing.length > 0
      ? `there is no node ${list(missing, 10)}; it begins when there is, or delete this NodeDrain and create another`
      : 'no node has these labels; it begins when one has';
  // Nothing was begun, so that nothing but sightless rounds can have spoken of what holds it.
  const others = read.status.conditions.filter(({ type }) => type !== 'Blocked' && type !== 'DeadlineAtRisk');
  const status = { ...read.status, conditions: others };
  return say(parts, read, status, [notBegun('NoNodes', message)], signal);
}

/** Nothing is done while the nodes cannot be read: whether a node is there, and cordoned, is not known then. */
function noSight(parts: RoundParts, read: ReadDrain, unreadable: string, signal: AbortSignal): Promise<Next> {
  const why = `nothing ${read.status.nodes.length === 0 ? 'is begun' : 'goes on'}: ${unreadable}`;
  const now = instant(parts.context.clock.now());
  const status = { ...read.status, estimatedEnd: null, estimateBasis: '' };
  return say(parts, read, status, blind(why, momentOrNull(read.spec.deadline), now), signal);
}

/** Writes down why nothing is done, and looks again later. */
async function say(
  parts: RoundParts,
  read: ReadDrain,
  status: NodeDrainStatus,
  judgements: readonly AnyJudgement[],
  signal: AbortSignal,
): Promise<Next> {
  const { generation } = read;
  const now = toTimestamp(parts.context.clock.now());
  const conditions = withJudgements(status.conditions, judgements, { generation, now });
  const { due } = await parts.record.write(read, { ...status, observedGeneration: generation, conditions }, signal);
  return after(due ?? usually);
}

/** What is seen of a drain, and what follows from it. */
interface Look {
  readonly drain: Drain;
  readonly plan: DrainPlan;
  readonly status: NodeDrainStatus;
}

async function work(parts: RoundParts, read: ReadDrain, names: readonly string[], signal: AbortSignal): Promise<Next> {
  const first = await look(parts, { read, names, justCordoned: new Set() }, signal);
  // A step is on record before anything is done on its account; the rest can wait until it is known what came of it.
  const isStep = !samePhases(first.status, read.status);
  const recorded = isStep ? (await parts.record.write(read, first.status, signal)).read : read;
  const looking = {
    read: recorded,
    names,
    justCordoned: new Set(await cordonAll(parts, recorded, first.plan, signal)),
  };
  // What is cordoned now goes now: the view would show it in a moment.
  const ready = looking.justCordoned.size > 0 ? await look(parts, looking, signal) : first;
  const acted = await evictAll(parts, recorded, ready, signal);
  const last = acted ? await look(parts, looking, signal) : ready;
  const { read: now, due } = await parts.record.write(recorded, last.status, signal);
  await giveBack(parts, now, signal);
  if (now.status.phase === 'Completed') {
    parts.sight.pods.want(read.name, []);
    return done;
  }
  return after(untilNext(last, due));
}

/** A node is taken for empty only on the API server's own word: a view may be behind. */
async function look(
  parts: RoundParts,
  { read, names, justCordoned }: Pick<Looking, 'read' | 'names' | 'justCordoned'>,
  signal: AbortSignal,
): Promise<Look> {
  const { sight } = parts;
  const refusals = refusalsOf(parts, read.name);
  const fresh = new Map<string, readonly PodView[]>();
  let drain = await observe(sight, { read, names, refusals, fresh, justCordoned }, signal);
  let plan = planDrain(drain);
  const claimed = plan.nodes.filter(
    ({ phase }, index) => phase === 'Drained' && drain.nodes[index]?.recorded !== 'Drained',
  );
  for (const { name } of claimed) fresh.set(name, await sight.pods.fresh(name, signal));
  if (claimed.length > 0) {
    drain = await observe(sight, { read, names, refusals, fresh, justCordoned }, signal);
    plan = planDrain(drain);
  }
  const cordoned = new Set(names.filter((name) => sight.nodes.get(name)?.cordonedBy === read.name));
  return { drain, plan, status: statusOf({ read, drain, plan, cordoned }) };
}

function refusalsOf({ refusals, makeRefusals }: RoundParts, drain: KeyText): Refusals {
  const known = refusals.get(drain) ?? makeRefusals();
  refusals.set(drain, known);
  return known;
}

/** Cordons what the plan says, for nodes whose turn is on record. The nodes. */
async function cordonAll(
  { context: { client } }: RoundParts,
  { name }: ReadDrain,
  { cordon: nodes }: DrainPlan,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await Promise.all(nodes.map((node) => cordon(client, node, name, signal)));
  return nodes;
}

/** Evicts what the plan says. False: there was nothing to do. */
async function evictAll(
  parts: RoundParts,
  read: ReadDrain,
  { plan, drain }: Look,
  signal: AbortSignal,
): Promise<boolean> {
  const { context, evictor, teller } = parts;
  if (plan.evict.length === 0) return false;
  const refusals = refusalsOf(parts, read.name);
  const pods = new Map(drain.nodes.flatMap((node) => (node.pods ?? []).map((pod) => [pod.uid, pod])));
  await evictor.send(
    plan.evict,
    read.spec.pods.gracePeriodSeconds,
    ({ name, precondition }, answer) => {
      teller.answered(name, answer);
      const pod = pods.get(precondition.uid);
      if (pod === undefined) return;
      const now = instant(context.clock.now());
      if (answer.outcome === 'refused') refusals.refuse(pod, answer.why, now);
      else if (answer.outcome === 'again') refusals.overtaken(pod, now);
      else refusals.letGo(pod, now);
    },
    signal,
  );
  return true;
}

/** A drain is done before its last nodes are given back; whoever was killed in between finds that out by reading them. */
async function giveBackLate(parts: RoundParts, read: ReadDrain, signal: AbortSignal): Promise<Next> {
  if (read.spec.afterwards !== 'Uncordon') return done;
  await parts.sight.nodes.look(signal);
  if (parts.sight.nodes.unreadable !== undefined) return after(seldom);
  await giveBack(parts, read, signal);
  const wasHeld = read.status.conditions.some(({ type, status }) => type === 'Blocked' && status === 'True');
  return wasHeld ? say(parts, read, read.status, [nothingWaits], signal) : done;
}

/** Uncordons what is drained, where the spec asks for it and this drain cordoned it. */
async function giveBack({ context, sight }: RoundParts, { name, spec, status }: ReadDrain, signal: AbortSignal) {
  if (spec.afterwards !== 'Uncordon') return;
  for (const row of status.nodes) {
    if (row.phase !== 'Drained' || sight.nodes.get(row.name)?.cordonedBy !== name) continue;
    await uncordon(context.client, row.name, name, signal);
  }
}

function untilNext({ plan, drain }: Look, due: Millis | undefined): Millis {
  const wake = plan.wakeAt === null ? usually : millis(Math.max(1, plan.wakeAt - drain.now));
  const rest = plan.evict.length > 0 ? soon : usually;
  return millis(Math.min(wake, rest, due ?? usually));
}
