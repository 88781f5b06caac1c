import { selects } from '../../kube/label-selection.ts';
import type { Drain, DrainNode, DrainPod } from '../../model/drain.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { instant } from '../../model/time.ts';
import { settingsSay } from '../../plan/drain-pods.ts';
import type { ControllerContext } from '../controller.ts';
import { momentOrNull } from '../status/moments.ts';
import type { Attached } from './attached.ts';
import type { Budgets } from './budgets.ts';
import type { ReadDrain } from './drain.ts';
import type { DrainView } from './drain-view.ts';
import { holderOf } from './drain-view.ts';
import type { Guards } from './guards.ts';
import type { Nodes } from './nodes.ts';
import type { PodView } from './pod-view.ts';
import type { PodsOnNodes } from './pods-on-nodes.ts';
import type { Refusals } from './refusals.ts';

/** What a drain is seen through. */
export interface Sight {
  readonly clock: ControllerContext['clock'];
  readonly nodes: Pick<Nodes, 'get'>;
  readonly pods: Pick<PodsOnNodes, 'of'>;
  readonly guards: Guards;
  readonly budgets: Budgets;
  readonly attached: Pick<Attached, 'to' | 'notGone'>;
  readonly drains: () => Iterable<DrainView>;
}

/** So many nodes whose turn has not come are read ahead, to say up front what will hold them. Each costs a watch. */
const readAhead = 20;

/** The nodes of a drain: as they are on record, or, before anything is, as the spec names them now. */
export function nodesOf({ spec, status }: ReadDrain, nodes: Nodes): Resolved {
  if (status.nodes.length > 0) {
    const recorded = new Set(status.nodes.map((row) => row.name));
    // In the order of the spec, where it has one.
    const ordered = (spec.nodes ?? []).filter((one) => recorded.has(one));
    return { names: [...ordered, ...[...recorded].filter((one) => !ordered.includes(one))], missing: [] };
  }
  if (spec.nodes !== undefined) {
    return { names: spec.nodes, missing: spec.nodes.filter((one) => nodes.get(one) === undefined) };
  }
  const { matchLabels = {}, matchExpressions = [] } = spec.nodeSelector ?? {};
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values }));
  const found = [...nodes.all()].filter(({ labels }) =>
    selects({ matchLabels, matchExpressions: expressions }, labels),
  );
  return { names: found.map(({ key }) => key).sort(), missing: [] };
}

export interface Resolved {
  readonly names: readonly string[];
  /** Names that no node has. */
  readonly missing: readonly string[];
}

/**
 * Which nodes are read: all that are begun, the next ones, and those that were read and cannot begin. The latter are not the next ones: if there were
 * many of them, nobody behind them would ever be read.
 */
export function nodesToRead(
  names: readonly string[],
  { status, spec }: Pick<ReadDrain, 'status' | 'spec'>,
): readonly string[] {
  const rows = new Map(status.nodes.map((row) => [row.name, row]));
  const begun = names.filter((one) => rows.get(one)?.phase === 'Draining');
  const pending = names.filter((one) => (rows.get(one)?.phase ?? 'Pending') === 'Pending');
  const isNext = (one: string) => rows.get(one)?.reasons.some(({ code }) => inLine.has(code)) ?? true;
  const next = pending.filter(isNext).slice(0, spec.maxConcurrentNodes + readAhead);
  return [...begun, ...pending.filter((one) => !isNext(one)), ...next];
}

/** What is said of a node that nothing but its turn keeps from beginning, as far as is known. */
const inLine: ReadonlySet<string> = new Set([reasons.nodeWaits.code, reasons.nodeNotRead.code]);

/** What is looked at. */
export interface Looking {
  readonly read: ReadDrain;
  /** The nodes, in the order in which they are to be drained. */
  readonly names: readonly string[];
  readonly refusals: Refusals;
  /** The pods of nodes that were just read anew. */
  readonly fresh: ReadonlyMap<string, readonly PodView[]>;
  /** Nodes that were just cordoned, which the view does not show yet. */
  readonly justCordoned: ReadonlySet<string>;
}

/** The drain as a plan needs it. */
export async function observe(
  sight: Sight,
  { read, names, refusals, fresh, justCordoned }: Looking,
  signal: AbortSignal,
): Promise<Drain> {
  const rows = new Map(read.status.nodes.map((row) => [row.name, row]));
  const nodes: DrainNode[] = [];
  for (const node of names) {
    const seen = sight.nodes.get(node);
    const recorded = rows.get(node)?.phase ?? 'Pending';
    const views = recorded === 'Drained' || recorded === 'Gone' ? [] : (fresh.get(node) ?? sight.pods.of(node));
    const staying = (views ?? []).filter(({ pod }) => isStaying(pod, read));
    // While pods have to go, it does not matter what is attached.
    const isEmpty = views !== null && staying.length === views.length;
    nodes.push({
      name: name(node),
      exists: seen !== undefined,
      cordoned: seen?.cordoned === true || justCordoned.has(node),
      recorded,
      heldBy: holderOf(node, read.name, sight.drains()),
      pods: views?.map((view) => seenPod(view, sight, refusals)) ?? null,
      attached: isEmpty ? await sight.attached.to(node, staying, signal) : [],
      leaving: isEmpty ? await sight.attached.notGone(sight.guards.leaving(node), signal) : [],
    });
  }
  refusals.keep(nodes.flatMap(({ pods }) => pods ?? []));
  const { maxConcurrentNodes, deadline, pods } = read.spec;
  const now = instant(sight.clock.now());
  return { name: read.name, now, nodes, maxConcurrentNodes, deadline: momentOrNull(deadline), pods };
}

function seenPod(view: PodView, { guards, budgets }: Sight, refusals: Refusals): DrainPod {
  const pod = { ...view.pod, budgets: budgets.over(view) };
  return { ...pod, guarded: guards.wordOn(view), refused: refusals.of(pod) };
}

const isStaying = (pod: PodView['pod'], { spec }: ReadDrain): boolean =>
  settingsSay({ ...pod, budgets: [], guarded: null, refused: null }, spec)?.outlook === 'ignored';
