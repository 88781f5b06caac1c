import type { NodeName, Uid } from '../../model/ids.ts';
import type { Node } from '../../model/node.ts';
import type { Pod, ProcessGroup } from '../../model/process-group.ts';
import type { Instant, Seconds } from '../../model/time.ts';
import { dueAt, seconds } from '../../model/time.ts';
import type { LeavingSeen } from '../seen/leaving-node.ts';
import { isToBeLeft, leavingTaintsOf } from '../seen/leaving-node.ts';
import type { AskRow } from './ask-row.ts';
import { keyOf } from './ask-row.ts';
import { withTheirNodes, writtenEvery } from './asks-of-nodes.ts';
import type { HeardAsk } from './desk.ts';

/** A NodeDrain that has begun with some nodes. */
export interface BegunDrain {
  readonly name: string;
  readonly nodes: readonly string[];
}

/** What asks are gathered from. */
export interface Askers {
  readonly now: Instant;
  /** As the status has them. */
  readonly recorded: readonly AskRow[];
  /** As the webhook heard them. */
  readonly heard: readonly HeardAsk[];
  readonly groups: readonly Pick<ProcessGroup, 'id' | 'pod'>[];
  /** null: not known. */
  readonly nodes: readonly Node[] | null;
  /** What was seen of them between two looks; null: nothing. */
  readonly leaving: LeavingSeen | null;
  readonly drains: readonly BegunDrain[];
  /** Taints by which others say that a node is about to go. */
  readonly leavingTaints: readonly string[];
  /** Pods of which Kubernetes says that it wants them off their nodes because of a taint. Where that was refused it never tries again. */
  readonly taintEvicted: ReadonlySet<Uid>;
  /** Why a person forces a pod; undefined: nobody does. */
  readonly forceOf: (pod: Uid) => string | undefined;
}

/** Who asks where Kubernetes itself wants a pod off a tainted node, in the words of the pod's condition. */
const taintManager = 'DeletionByTaintManager';
/** So long it is remembered who was let go: the same asker is not sent after the successor. */
const rememberedFor = seconds(600);
/** Who has not asked for ten minutes has given up, says the core, and undoes what was begun; a little later the row is of no use any more. */
const lapsedFor = seconds(660);
/** Who asked while nobody saw the node, which is not cordoned now: whoever has not uncordoned it in between, and still wants it, asks again by then. */
const unseenFor = seconds(30);

/**
 * Who wants which pod gone: those on record who have not taken it back, and those who ask now. A NodeDrain, a taint or a cordon is taken back by
 * its end, an eviction by the uncordon of the node that was cordoned for it, or by the end of its leaving taint, which autoscalers set in place of
 * that; those that nobody repeats lapse.
 */
export function gatherAsks(askers: Askers): readonly AskRow[] {
  const pods = new Map<Uid, OnNode>();
  for (const { id, pod } of askers.groups) if (pod !== null) pods.set(pod.uid, { group: id, pod });
  const takenBack = new Set(askers.recorded.filter((row) => isTakenBack(row, askers)).map(keyOf));
  const isStale = (row: AskRow) =>
    isTakenBack(row, askers) || isLapsed(row, askers) || (row.cordoned !== false && takenBack.has(keyOf(row)));
  const asked = [...evictions(askers, pods).filter((row) => !isStale(row)), ...standing(askers)];
  const rows = askers.recorded
    .filter((row) => !takenBack.has(keyOf(row)))
    .flatMap((row) => kept(row, askers, pods, asked));
  const known = new Set(rows.map(keyOf));
  const all = [...rows, ...asked.filter((row) => !known.has(keyOf(row)))];
  return asManyAsFit(withTheirNodes(all, askers))
    .map((row) => ({ ...row, force: askers.forceOf(row.pod) ?? null }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * So many the status holds; with one more it could not be written at all. Those that were not asked for themselves give way first, then those whose
 * pods are gone, then the latest to come.
 */
const mostRows = 1000;

const asManyAsFit = (rows: readonly AskRow[]): readonly AskRow[] =>
  rows.length <= mostRows
    ? rows
    : rows
        .toSorted(
          (a, b) =>
            Number(a.times === 0) - Number(b.times === 0) ||
            Number(a.letGoAt !== null) - Number(b.letGoAt !== null) ||
            a.since - b.since,
        )
        .slice(0, mostRows);

interface OnNode {
  readonly group: ProcessGroup['id'];
  readonly pod: Pod;
}

/** What was heard, about pods that are still there. */
function evictions(askers: Askers, pods: ReadonlyMap<Uid, OnNode>): readonly AskRow[] {
  return askers.heard.flatMap(({ pod: uid, by, since, lastSeen, times }) => {
    const found = pods.get(uid);
    if (found === undefined) return [];
    const { group, pod } = found;
    const cordoned = wasToBeLeft(askers, pod.node, lastSeen);
    const what = { group, pod: uid, name: pod.name, node: pod.node, source: 'Eviction', by } as const;
    return [{ ...what, since, lastSeen, times: Math.max(1, times), cordoned, force: null, letGoAt: null }];
  });
}

/** What asks for as long as it stands. */
function standing(askers: Askers): readonly AskRow[] {
  const { groups, nodes, drains, leavingTaints, taintEvicted, recorded, now } = askers;
  return groups.flatMap(({ id, pod }) => {
    if (pod === null || pod.node === null) return [];
    const { node } = pod;
    const drained = drains
      .filter((drain) => drain.nodes.includes(node))
      .map(({ name }) => ['NodeDrain', name] as const);
    const seen = nodeOf(nodes, node);
    const taints = seen === undefined ? [] : leavingTaintsOf(seen, leavingTaints);
    const isEvicted = taintEvicted.has(pod.uid) && mayExpel(nodes, node);
    const keys = new Set([...taints, ...(isEvicted ? [taintManager] : [])]);
    const sources = [...drained, ...[...keys].map((key) => ['Taint', key] as const)];
    return sources.flatMap(([source, by]): AskRow[] => {
      const what = { group: id, pod: pod.uid, name: pod.name, node, source, by };
      if (recorded.some((row) => cameBack(row, what, now))) return [];
      return [{ ...what, since: now, lastSeen: now, times: 1, cordoned: false, force: null, letGoAt: null }];
    });
  });
}

/** It was let go from this very node a while ago, and nothing kept its successor off it: to ask again at once would be a wheel. */
const cameBack = (row: AskRow, { pod, name, node, source, by }: Landed, now: Instant): boolean =>
  row.pod !== pod &&
  row.name === name &&
  row.node === node &&
  row.source === source &&
  row.by === by &&
  isRemembered(row, now);

type Landed = Pick<AskRow, 'pod' | 'name' | 'node' | 'source' | 'by'>;

/** A row on record as it goes on, if it does. */
function kept(row: AskRow, askers: Askers, pods: ReadonlyMap<Uid, OnNode>, asked: readonly AskRow[]): AskRow[] {
  const { now, nodes } = askers;
  if (!pods.has(row.pod)) return isRemembered(row, now) ? [row] : [];
  const again = asked.find((one) => keyOf(one) === keyOf(row));
  if (again !== undefined) return [refreshed(row, again)];
  if (row.source === 'Eviction' && isLapsed(row, askers)) return [];
  // Nodes are read from the first ask on, so that a cordon may be seen only after it.
  if (row.source === 'Eviction') return [isLeavingNow(askers, row.node) === true ? { ...row, cordoned: true } : row];
  if (row.source === 'Cordon') return [row];
  if (row.source === 'Taint' && row.by === taintManager) return mayExpel(nodes, row.node) ? [row] : [];
  // What is not known to be over is not over.
  return row.source === 'Taint' && nodes === null ? [row] : [];
}

/** Nobody has repeated it for so long that it is taken to be given up. */
function isLapsed({ cordoned, node, lastSeen }: AskRow, askers: Askers): boolean {
  const isUnseen = cordoned === null && isLeavingNow(askers, node) === false;
  return isOver(lastSeen, isUnseen ? unseenFor : lapsedFor, askers.now);
}

/**
 * Whether the node still expels pods, as far as is known. The pod's own word is no measure of that: two minutes after a refused deletion the disruption
 * controller takes it back, and the eviction that follows puts another one in its place.
 */
const mayExpel = (nodes: readonly Node[] | null, node: NodeName | null): boolean =>
  nodeOf(nodes, node)?.taints.some(({ effect }) => effect === 'NoExecute') ?? true;

/** The node was cordoned for it, or marked by a leaving taint, and is not any more: by what is on record, or by what was seen since. */
const isTakenBack = ({ source, cordoned, node, lastSeen }: AskRow, askers: Askers): boolean =>
  source === 'Eviction' &&
  isLeavingNow(askers, node) === false &&
  (cordoned === true || wasToBeLeft(askers, node, lastSeen) === true);

function refreshed(row: AskRow, again: AskRow): AskRow {
  // It was asked for with its node alone, and now itself.
  if (row.times === 0) return { ...again, cordoned: again.cordoned ?? row.cordoned };
  const due = dueAt(row.lastSeen, writtenEvery);
  // A cordon that is not seen now was not lifted for that: the nodes may not have been read yet.
  const cordoned = row.cordoned === true || (again.cordoned ?? row.cordoned);
  if (again.lastSeen < due) return { ...row, cordoned };
  return { ...row, lastSeen: again.lastSeen, times: row.times + again.times, cordoned };
}

const isRemembered = ({ letGoAt }: AskRow, now: Instant): boolean =>
  letGoAt !== null && !isOver(letGoAt, rememberedFor, now);

const isOver = (since: Instant, time: Seconds, now: Instant): boolean => now >= dueAt(since, time);

/** Whether the node is to be left now; undefined: not known. */
function isLeavingNow({ nodes, leavingTaints }: Askers, name: NodeName | null): boolean | undefined {
  const node = nodeOf(nodes, name);
  return node && isToBeLeft(node, leavingTaints);
}

/** Whether the node was to be left at a time, or is now; null: nobody saw it then. */
function wasToBeLeft(askers: Askers, node: NodeName | null, at: Instant): boolean | null {
  const { leaving } = askers;
  const isLeaving = isLeavingNow(askers, node);
  if (isLeaving !== false) return isLeaving ?? null;
  if (node === null || leaving === null || at < leaving.since) return null;
  const ended = leaving.ended.get(node);
  return ended !== undefined && at <= ended;
}

const nodeOf = (nodes: readonly Node[] | null, node: NodeName | null): Node | undefined =>
  node === null ? undefined : nodes?.find(({ name }) => name === node);
