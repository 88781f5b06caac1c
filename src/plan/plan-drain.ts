import type {
  Drain,
  DrainNode,
  DrainPlan,
  DrainPod,
  Estimate,
  NodePlan,
  PodToEvict,
  WaitingPod,
  WaitReason,
} from '../model/drain.ts';
import type { NodeName } from '../model/ids.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';
import type { PodOutlook } from './drain-pods.ts';
import { blockersOf, endIsRefutedAt, othersSay, settingsSay, told } from './drain-pods.ts';
import { spreadOverWorkloads } from './eviction-line.ts';

/**
 * What a drain does next, over all its nodes: which nodes are cordoned, which pods go now, what each of the others waits for. No more nodes at
 * once than `maxConcurrentNodes`; what was begun keeps its turn, and gives up its place where nothing is left on it but pods that their guards never
 * let go. Pods that nobody guards go as `kubectl drain` takes them: a node with a pod that the settings keep is not begun. Guarded pods are only
 * reported: whoever guards them has them evicted. Nothing is ever forced.
 */
export function planDrain(drain: Drain): DrainPlan {
  const turns = turnsOf(drain);
  const evict: (PodToEvict & Pick<DrainPod, 'workload'>)[] = [];
  const nodes = drain.nodes.map((node) => planNode(node, { drain, turns, evict }));
  return {
    outlook: outlookOf(nodes),
    nodes,
    cordon: drain.nodes.filter(({ name, cordoned }) => turns.active.has(name) && !cordoned).map(({ name }) => name),
    evict: spreadOverWorkloads(evict),
    estimate: estimateOf(nodes),
    wakeAt: wakeAtOf(drain),
  };
}

/** What a plan is made from, and what is collected on the way. */
interface Round {
  readonly drain: Drain;
  readonly turns: Turns;
  readonly evict: (PodToEvict & Pick<DrainPod, 'workload'>)[];
}

/** Whose turn it is. */
interface Turns {
  /** The nodes that are begun, or begin now. */
  readonly active: ReadonlySet<NodeName>;
  /** Those of them that take a place, sorted: the others wait for these. */
  readonly inPlace: readonly NodeName[];
}

const isOver = ({ recorded }: DrainNode): boolean => recorded === 'Drained' || recorded === 'Gone';

const podsToGo = ({ pods }: DrainNode, drain: Drain): readonly DrainPod[] =>
  (pods ?? [])
    .filter((pod) => settingsSay(pod, drain)?.outlook !== 'ignored')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** What was not read is not taken for empty. */
const hasNothingLeft = (node: DrainNode, drain: Drain): boolean =>
  node.pods !== null && podsToGo(node, drain).length === 0 && leftovers(node).length === 0;

/** Those that were begun, then the others in their order, as long as there is a place. Done, gone, taken and blocked ones take none. */
function turnsOf(drain: Drain): Turns {
  const free = drain.nodes.filter(
    (node) => node.exists && !isOver(node) && node.heldBy === null && blockersOf(node, drain).length === 0,
  );
  const isEmpty = (node: DrainNode) => hasNothingLeft(node, drain);
  const takesPlace = (node: DrainNode) => !isEmpty(node) && !isStuck(node, drain);
  const begun = free.filter(({ recorded }) => recorded === 'Draining');
  const fresh = free.filter(({ recorded, pods }) => recorded === 'Pending' && pods !== null);
  const inPlace = begun.filter(takesPlace);
  // An empty node takes no place, and is cordoned as soon as it is seen: nothing may come to it.
  const active = [...begun, ...fresh.filter(isEmpty)];
  for (const node of fresh.filter((one) => !isEmpty(one))) {
    if (inPlace.length >= drain.maxConcurrentNodes) break;
    active.push(node);
    if (takesPlace(node)) inPlace.push(node);
  }
  return { active: new Set(active.map(({ name }) => name)), inPlace: inPlace.map(({ name }) => name).toSorted() };
}

/**
 * Whether nothing is left on it but what its guards never let go. It needs no place for that: others would wait for a person. Should a guard think
 * better of it the node goes on, also beside others: how many pods of a guard may be away at once is for its grants to say, not for places.
 */
function isStuck(node: DrainNode, drain: Drain): boolean {
  const pods = podsToGo(node, drain);
  return pods.length > 0 && pods.every((pod) => (settingsSay(pod, drain) ?? othersSay(pod, drain)).outlook === 'never');
}

function planNode(node: DrainNode, round: Round): NodePlan {
  const { drain, turns } = round;
  const { name } = node;
  const nothing = { name, podsLeft: 0, waiting: [], ignored: [] };
  if (node.recorded === 'Drained') return { ...nothing, phase: 'Drained', reasons: [] };
  if (!node.exists || node.recorded === 'Gone')
    return { ...nothing, phase: 'Gone', reasons: [told(reasons.nodeGone({ node: name }))] };
  const pods = podsToGo(node, drain);
  const ignored = ignoredOn(node, drain);
  const isActive = turns.active.has(name);
  if (isActive && node.cordoned && hasNothingLeft(node, drain))
    return { ...nothing, phase: 'Drained', reasons: [], ignored };
  const blockers = blockersOf(node, drain);
  const waiting = pods.flatMap((pod) => planPod(pod, node, blockers, round));
  const why = whyNot(node, turns, pods.length, blockers.length);
  const phase = isActive || node.recorded === 'Draining' ? 'Draining' : 'Pending';
  return { name, phase, reasons: why.map(told), podsLeft: pods.length, waiting, ignored };
}

/** What keeps a node once its pods are gone. */
function leftovers({ name, attached, leaving }: DrainNode): readonly Reason[] {
  return [
    ...(attached.length === 0 ? [] : [reasons.volumesAttached({ node: name, volumes: attached.toSorted() })]),
    ...(leaving.length === 0 ? [] : [reasons.volumesLeaving({ node: name, groups: leaving.toSorted() })]),
  ];
}

/** Why the turn of a node has not come, or what keeps it once its pods are gone. */
function whyNot(node: DrainNode, { active, inPlace }: Turns, podsLeft: number, blockers: number): readonly Reason[] {
  const { name, heldBy } = node;
  if (heldBy !== null) return [reasons.anotherDrain({ node: name, drain: heldBy })];
  if (node.pods === null) return [reasons.nodeNotRead({ node: name })];
  if (active.has(name)) return podsLeft === 0 ? leftovers(node) : [];
  if (blockers > 0) return [];
  return [reasons.nodeWaits({ node: name, first: inPlace })];
}

const ignoredOn = ({ pods }: DrainNode, drain: Drain): NodePlan['ignored'] =>
  (pods ?? [])
    .flatMap((pod) => {
      const said = settingsSay(pod, drain);
      return said?.outlook === 'ignored' ? [{ pod: pod.name, reason: said.reason }] : [];
    })
    .toSorted((a, b) => (a.pod < b.pod ? -1 : 1));

/** What it waits for; nothing where it goes now, or where its node's turn has not come. */
function planPod(pod: DrainPod, node: DrainNode, blockers: readonly string[], round: Round): readonly WaitingPod[] {
  const { drain, turns, evict } = round;
  const bySettings = settingsSay(pod, drain);
  if (bySettings !== undefined) return waitingFor(pod, bySettings);
  const { name, uid, budgets, workload } = pod;
  if (blockers.length > 0) {
    return [waits(pod, reasons.nodeBlocked({ pod: name, node: node.name, because: blockers }))];
  }
  const byOthers = othersSay(pod, drain);
  // What can never go is said up front, also where it is not its turn.
  if (!turns.active.has(node.name)) return byOthers.outlook === 'never' ? waitingFor(pod, byOthers) : [];
  if (!node.cordoned) return [waits(pod, reasons.nodeNotCordoned({ pod: name, node: node.name }))];
  if (byOthers.outlook !== 'may-go') return waitingFor(pod, byOthers);
  evict.push({ name, budgets, workload, node: node.name, precondition: { uid } });
  return [];
}

function waitingFor(pod: DrainPod, outlook: PodOutlook): readonly WaitingPod[] {
  if (outlook.outlook === 'ignored' || outlook.outlook === 'may-go') return [];
  const { outlook: kind, reasons: why, progressPercent, estimatedEnd, moreFollows = false } = outlook;
  return [{ pod: pod.name, kind, reasons: why, progressPercent, estimatedEnd, moreFollows }];
}

const waits = (pod: DrainPod, reason: Reason | WaitReason): WaitingPod => ({
  pod: pod.name,
  kind: 'wait',
  reasons: [told(reason)],
  progressPercent: null,
  estimatedEnd: null,
});

function outlookOf(nodes: readonly NodePlan[]): DrainPlan['outlook'] {
  if (nodes.every(({ phase }) => phase === 'Drained' || phase === 'Gone')) return 'done';
  return nodes.some(({ waiting }) => waiting.some(({ kind }) => kind === 'never')) ? 'never' : 'going';
}

/** Known only where everything that waits has an end and no node has yet to begin. */
function estimateOf(nodes: readonly NodePlan[]): Estimate | null {
  if (nodes.some(({ phase }) => phase === 'Pending')) return null;
  let last: Estimate | null = null;
  for (const { pod, estimatedEnd, moreFollows, reasons: why } of nodes.flatMap(({ waiting }) => waiting)) {
    if (estimatedEnd === null) return null;
    if (last !== null && estimatedEnd <= last.end) continue;
    const earliest = moreFollows === true ? ', and this is its earliest end' : '';
    last = { end: estimatedEnd, basis: `${pod} is the last${earliest}: ${why[0].message}` };
  }
  return last;
}

/** When a refused pod is tried again, when an expected end has passed in vain, and the deadline. What is going already is not tried again. */
function wakeAtOf({ nodes, now, deadline }: Drain): Instant | null {
  const all = nodes.flatMap(({ pods }) => pods ?? []);
  const retries = all.map(({ refused, deletingSince }) => (deletingSince === null ? refused?.retryAt : undefined));
  const refuted = all.map(({ guarded }) => (guarded === null ? undefined : endIsRefutedAt(guarded)));
  const ahead = [...retries, ...refuted, deadline ?? undefined].filter(
    (moment) => moment !== undefined && moment > now,
  );
  return earliest(...ahead) ?? null;
}
