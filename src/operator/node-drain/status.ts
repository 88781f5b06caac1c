import { isDeepStrictEqual } from 'node:util';
import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { Drain, DrainPlan, NodePlan, WaitingPod } from '../../model/drain.ts';
import { reasons as catalogue } from '../../model/reasons.ts';
import type { Instant } from '../../model/time.ts';
import { withJudgements } from '../status/conditions.ts';
import { cutText } from '../status/cut-text.ts';
import { timestampOf, timestampOrNull } from '../status/moments.ts';
import { fullRoom, waitingFor } from '../status/waiting-for.ts';
import type { ReadDrain } from './drain.ts';
import { judgementsOf } from './status-conditions.ts';

/** What a status is made from. */
export interface StatusInput {
  readonly read: ReadDrain;
  readonly drain: Drain;
  readonly plan: DrainPlan;
  /** The nodes that this drain cordoned. */
  readonly cordoned: ReadonlySet<string>;
}

type NodeRow = NodeDrainStatus['nodes'][number];
type WaitingRow = NodeRow['waiting'][number];

/** How many waiting pods a status lists, over all nodes. */
const mostWaiting = 100;

/** The whole status to write. While nothing happens it is the one that is there already. */
export function statusOf(input: StatusInput): NodeDrainStatus {
  const { read, drain, plan } = input;
  const { now } = drain;
  const nodes = rowsOf(input);
  const phase = phaseOf(read.status, plan, nodes);
  const { startedAt, completedAt } = read.status;
  const isBegun = phase === 'Draining' || phase === 'Completed';
  return {
    observedGeneration: read.generation,
    phase,
    startedAt: startedAt ?? (isBegun ? timestampOf(now) : null),
    completedAt: completedAt ?? (phase === 'Completed' ? timestampOf(now) : null),
    estimatedEnd: timestampOrNull(plan.estimate?.end),
    estimateBasis: cutText(plan.estimate?.basis ?? '', 512),
    counts: {
      nodes: nodes.length,
      nodesDrained: nodes.filter((row) => row.phase === 'Drained' || row.phase === 'Gone').length,
      podsLeft: sum(nodes, ({ podsLeft }) => podsLeft),
      podsWaiting: sum(nodes, ({ podsWaiting }) => podsWaiting),
    },
    nodes,
    conditions: withJudgements(read.status.conditions, judgementsOf(drain, plan, nodes), {
      generation: read.generation,
      now: timestampOf(now),
    }),
  };
}

/** Whether two statuses say exactly the same. */
export const sameStatus = (a: NodeDrainStatus, b: NodeDrainStatus): boolean => isDeepStrictEqual(a, b);

/** Whether nobody has gone a step further, nor the spec been changed: that is written down at once and before anything is done on its account. */
export const samePhases = (a: NodeDrainStatus, b: NodeDrainStatus): boolean =>
  a.phase === b.phase && a.observedGeneration === b.observedGeneration && isDeepStrictEqual(phasesIn(a), phasesIn(b));

const phasesIn = ({ nodes }: NodeDrainStatus) => nodes.map(({ name, phase }) => [name, phase]);

const sum = <T>(items: readonly T[], figure: (item: T) => number): number =>
  items.reduce((total, item) => total + figure(item), 0);

function phaseOf(before: NodeDrainStatus, { outlook }: DrainPlan, nodes: readonly NodeRow[]): NodeDrainStatus['phase'] {
  if (outlook === 'done') return 'Completed';
  const isBegun = before.phase === 'Draining' || nodes.some(({ phase }) => phase === 'Draining');
  return isBegun ? 'Draining' : 'Pending';
}

function rowsOf({ read, drain, plan, cordoned }: StatusInput): NodeRow[] {
  const before = new Map(read.status.nodes.map((row) => [row.name, row]));
  let room = mostWaiting;
  return plan.nodes
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((node): NodeRow => {
      const known = before.get(node.name);
      // What only waits for the cordon goes on in this very look.
      const held = node.waiting.filter(({ reasons: [first] }) => first.code !== catalogue.nodeNotCordoned.code);
      const listed = held.toSorted(mostImportantFirst).slice(0, room);
      room -= listed.length;
      return rowOf({ ...node, waiting: held }, listed, known, cordoned.has(node.name), drain.now);
    });
}

function rowOf(
  { name, phase, reasons, podsLeft, waiting }: NodePlan,
  listed: readonly WaitingPod[],
  before: NodeRow | undefined,
  cordonedByDrain: boolean,
  now: Instant,
): NodeRow {
  const known = new Map(before?.waiting.map((row) => [row.pod, row]));
  return {
    name,
    phase,
    cordonedByDrain,
    reasons: waitingFor(reasons, before?.reasons ?? [], now, fullRoom),
    podsLeft,
    podsWaiting: waiting.length,
    waiting: listed.map((pod) => waitingRow(pod, known.get(pod.pod), now)),
  };
}

/** Estimates move a little with every reading: a moment that is as good as the last one is not worth a write. */
const jitter = 5000;

function waitingRow(
  { pod, kind, reasons, progressPercent, estimatedEnd }: WaitingPod,
  before: WaitingRow | undefined,
  now: Instant,
): WaitingRow {
  const written = before?.estimatedEnd ?? null;
  const isSame = written !== null && estimatedEnd !== null && Math.abs(Date.parse(written) - estimatedEnd) <= jitter;
  return {
    pod,
    verdict: kind,
    reasons: waitingFor(reasons, before?.reasons ?? [], now, fullRoom),
    progressPercent,
    estimatedEnd: isSame ? written : timestampOrNull(estimatedEnd),
  };
}

/** What never goes comes first, because somebody must do something about it. */
function mostImportantFirst(a: WaitingPod, b: WaitingPod): number {
  if (a.kind !== b.kind) return a.kind === 'never' ? -1 : 1;
  return a.pod < b.pod ? -1 : 1;
}
