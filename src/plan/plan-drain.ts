import type { Decision } from '../model/decision.ts';
import type { Drain, DrainNode, DrainPlan, DrainPod, NodePlan, WaitingPod } from '../model/drain.ts';
import type { ClusterKey, NodeName } from '../model/ids.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import type { PodOutlook } from './drain-pods.ts';
import { blockersOf, settingsSay, Verdicts } from './drain-pods.ts';

/**
 * What a drain does next, over all its nodes and all clusters with pods on them: which nodes are cordoned, which pods go now, what each of the
 * others waits for. No more nodes at once than `maxConcurrentNodes`; what was begun keeps its turn. Guarded pods go by the verdict of their
 * cluster, one of each cluster at a time, because one verdict does not know of the other. All others go as `kubectl drain` takes them: a
 * node with a pod that the settings keep is not begun.
 */
export function planDrain(drain: Drain, decisions: readonly Decision[]): DrainPlan {
  const round = new Round(drain, new Verdicts(decisions));
  const active = nodesInTurn(drain);
  const nodes = drain.nodes.map((node) => round.planNode(node, active));
  return {
    outlook: outlookOf(nodes),
    nodes,
    cordon: drain.nodes.filter(({ name, cordoned }) => active.has(name) && !cordoned).map(({ name }) => name),
    evict: round.evict,
    ask: round.ask,
    estimatedEnd: endOf(nodes),
  };
}

const podsToGo = (node: DrainNode, drain: Drain): readonly DrainPod[] =>
  node.pods
    .filter((pod) => settingsSay(pod, drain)?.outlook !== 'ignored')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Those that were begun, then the others in their order, as long as there is a place. Done, gone and blocked ones take none. */
function nodesInTurn(drain: Drain): ReadonlySet<NodeName> {
  const open = drain.nodes.filter(
    (node) => node.exists && podsToGo(node, drain).length > 0 && blockersOf(node, drain).length === 0,
  );
  const begun = open.filter((node) => node.begun);
  const places = Math.max(0, drain.maxConcurrentNodes - begun.length);
  const next = open.filter((node) => !node.begun).slice(0, places);
  // An empty node takes no place, and is cordoned as soon as it is seen: nothing may come to it.
  const empty = drain.nodes.filter((node) => node.exists && podsToGo(node, drain).length === 0);
  return new Set([...begun, ...next, ...empty].map(({ name }) => name));
}

/** What is said of the pods, collected over all nodes. */
class Round {
  readonly evict: DrainPlan['evict'][number][] = [];
  readonly ask: DrainPlan['ask'][number][] = [];
  readonly #drain: Drain;
  readonly #verdicts: Verdicts;
  /** Of each cluster, the pod that goes first. */
  readonly #going = new Map<ClusterKey, string>();

  constructor(drain: Drain, verdicts: Verdicts) {
    this.#drain = drain;
    this.#verdicts = verdicts;
  }

  planNode(node: DrainNode, active: ReadonlySet<NodeName>): NodePlan {
    const { name } = node;
    if (!node.exists) return { name, phase: 'Gone', reason: null, podsLeft: 0, waiting: [] };
    const pods = podsToGo(node, this.#drain);
    const blockers = blockersOf(node, this.#drain);
    const isActive = active.has(name);
    if (pods.length === 0 && node.cordoned) return { name, phase: 'Drained', reason: null, podsLeft: 0, waiting: [] };
    const waiting = pods.flatMap((pod) => this.#planPod(pod, node, blockers, isActive));
    const first = [...active].filter((other) => other !== name).sort();
    const reason = isActive || blockers.length > 0 ? null : reasons.nodeWaits({ node: name, first });
    return { name, phase: isActive ? 'Draining' : 'Pending', reason, podsLeft: pods.length, waiting };
  }

  /** What it waits for; nothing where it goes now, or where its node's turn has not come. */
  #planPod(pod: DrainPod, node: DrainNode, blockers: readonly string[], isActive: boolean): readonly WaitingPod[] {
    const bySettings = settingsSay(pod, this.#drain);
    if (bySettings !== undefined) return waitingFor(pod, bySettings);
    const { name } = pod;
    if (blockers.length > 0)
      return [waits(pod, reasons.nodeBlocked({ pod: name, node: node.name, because: blockers }))];
    const byVerdict = this.#verdicts.say(pod, this.#drain);
    // What can never go is said up front, also where it is not its turn.
    if (!isActive) return byVerdict.outlook === 'never' ? waitingFor(pod, byVerdict) : [];
    if (!node.cordoned) return [waits(pod, reasons.nodeNotCordoned({ pod: name, node: node.name }))];
    if (pod.guarded !== null && !pod.finished) {
      const { cluster, group } = pod.guarded;
      this.ask.push({ cluster, group, pod: pod.uid, node: node.name });
      const first = this.#going.get(cluster);
      if (byVerdict.outlook === 'may-go' && first !== undefined) {
        return [waits(pod, reasons.anotherGranted({ group, granted: first }))];
      }
      if (byVerdict.outlook === 'may-go') this.#going.set(cluster, group);
    }
    if (byVerdict.outlook !== 'may-go') return waitingFor(pod, byVerdict);
    const precondition = { uid: pod.uid, resourceVersion: pod.resourceVersion };
    this.evict.push({ ...pod, node: node.name, precondition });
    return [];
  }
}

function waitingFor(pod: DrainPod, outlook: PodOutlook): readonly WaitingPod[] {
  if (outlook.outlook === 'ignored' || outlook.outlook === 'may-go') return [];
  const { reasons: why, progressPercent, estimatedEnd } = outlook;
  return [{ pod: pod.name, kind: outlook.outlook, reasons: why, progressPercent, estimatedEnd }];
}

const waits = (pod: DrainPod, reason: Reason): WaitingPod => ({
  pod: pod.name,
  kind: 'wait',
  reasons: [reason],
  progressPercent: null,
  estimatedEnd: null,
});

function outlookOf(nodes: readonly NodePlan[]): DrainPlan['outlook'] {
  if (nodes.every(({ phase }) => phase === 'Drained' || phase === 'Gone')) return 'done';
  return nodes.some(({ waiting }) => waiting.some(({ kind }) => kind === 'never')) ? 'never' : 'going';
}

/** Known only where everything that waits has an end and no node has yet to begin. */
function endOf(nodes: readonly NodePlan[]): Instant | null {
  if (nodes.some(({ phase }) => phase === 'Pending')) return null;
  const ends = nodes.flatMap(({ waiting }) => waiting.map(({ estimatedEnd }) => estimatedEnd));
  let last: Instant | null = null;
  for (const end of ends) {
    if (end === null) return null;
    if (last === null || end > last) last = end;
  }
  return last;
}
