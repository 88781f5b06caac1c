import type { NodeDrainStatus } from '../api/v1alpha1/node-drain.schema.ts';
import type { DrainPlan } from '../model/drain.ts';
import { count, moment } from '../model/phrases.ts';
import { reasons } from '../model/reasons.ts';
import { plain } from './plain.ts';
import { table } from './table.ts';

/** What happened between two looks at a drain, in plain lines, as they are read in a pipe or a log. */
export function newsBetween(before: NodeDrainStatus | undefined, now: NodeDrainStatus): readonly string[] {
  const rows = new Map(before?.nodes.map((row) => [row.name, row]));
  const [still, stillBefore] = [standstill(now), before && standstill(before)];
  const ofNodes = now.nodes.flatMap((row) => {
    const known = rows.get(row.name);
    const isStep = known?.phase !== row.phase;
    const said = new Set(
      [...(known?.reasons ?? []), ...(known?.waiting ?? []).flatMap((pod) => pod.reasons)].map(
        ({ message }) => message,
      ),
    );
    const waits = [...row.reasons, ...row.waiting.flatMap((pod) => pod.reasons)];
    const left = row.phase === 'Draining' && (isStep || known?.podsLeft !== row.podsLeft);
    return [
      ...(isStep && row.phase === 'Draining' ? [`node/${row.name} cordoned`] : []),
      ...(left && row.podsLeft > 0 ? [`node/${row.name}: ${count(row.podsLeft, 'pod')} left`] : []),
      ...waits
        .filter(({ message, code }) => !said.has(message) && !everyday.has(code))
        .map(({ message }) => `waits: ${message}`),
      ...(isStep && row.phase === 'Drained' ? [`node/${row.name} drained`] : []),
    ];
  });
  return [...(still === undefined || still === stillBefore ? [] : [`waits: ${still}`]), ...ofNodes].map(plain);
}

/** Why nothing at all goes on, whatever single nodes and pods wait for; undefined: something does. */
const standstill = ({ conditions }: Pick<NodeDrainStatus, 'conditions'>): string | undefined =>
  conditions.find(({ type, reason }) => type === 'Blocked' && reason === reasons.nodesUnreadable.code)?.message;

/** Passes by itself within seconds. */
const everyday: ReadonlySet<string> = new Set([reasons.podGoing.code, reasons.nodeNotRead.code]);

type NodeRow = NodeDrainStatus['nodes'][number];

/** Whether some nodes are left, and of each all that is left can only go when a person decides. */
export function willNeverEnd({ nodes }: Pick<NodeDrainStatus, 'nodes'>): boolean {
  const open = nodes.filter(isOpen);
  return open.length > 0 && open.every(isStuck);
}

const isOpen = ({ phase }: NodeRow): boolean => phase !== 'Drained' && phase !== 'Gone';

/** Node by node: what has yet to begin on one, or waits for its volumes only, goes on beside another that never ends. */
function isStuck({ phase, reasons: ofNode, podsLeft, podsWaiting, waiting }: NodeRow): boolean {
  if (podsLeft === 0 || podsWaiting < podsLeft) return false;
  const isBlocked = (pod: NodeRow['waiting'][number]) => pod.reasons[0]?.code === reasons.nodeBlocked.code;
  if (!waiting.every((pod) => pod.verdict === 'never' || isBlocked(pod))) return false;
  // A status lists only so many pods. What a setting keeps holds all of its node, listed or not; only such a node has not begun and names no reason.
  return waiting.length === podsLeft || waiting.some(isBlocked) || (phase === 'Pending' && ofNode.length === 0);
}

/** What still holds a drain: one line each, with the pod and its node. */
export const whatWaits = ({ nodes, conditions }: Pick<NodeDrainStatus, 'nodes' | 'conditions'>): readonly string[] => {
  const still = standstill({ conditions });
  const ofNodes = nodes.filter(isOpen).flatMap(({ name, reasons: ofNode, waiting, podsWaiting }) => {
    const unlisted = podsWaiting - waiting.length;
    return [
      ...ofNode.map(({ code, message }) => `${name}: ${code}: ${message}`),
      ...waiting.flatMap(({ pod, reasons: why }) =>
        why.map(({ code, message }) => `${pod} on ${name}: ${code}: ${message}`),
      ),
      ...(unlisted > 0 ? [`${name}: ${count(unlisted, 'more pod waits', 'more pods wait')}`] : []),
    ];
  });
  return [...(still === undefined ? [] : [still]), ...ofNodes].map((line) => `  ${plain(line)}`);
};

/** What would become of one pod. */
export interface PodProspect {
  readonly node: string;
  readonly pod: string;
  readonly would: 'evict' | 'wait' | 'never' | 'leave';
  /** Why it does not just go, the most important reason; null: it does. */
  readonly code: string | null;
  /** All of them in words. */
  readonly message: string | null;
  readonly progressPercent: number | null;
  readonly estimatedEnd: string | null;
}

/** What would become of each pod: what programs read. */
export function prospectsOf({ nodes, evict }: DrainPlan): readonly PodProspect[] {
  const unmeasured = { progressPercent: null, estimatedEnd: null };
  return nodes.flatMap(({ name: node, waiting, ignored }): readonly PodProspect[] => [
    ...evict
      .filter((pod) => pod.node === node)
      .map((pod) => ({ node, pod: pod.name, would: 'evict' as const, code: null, message: null, ...unmeasured })),
    ...waiting.map(({ pod, kind, reasons: why, progressPercent, estimatedEnd }): PodProspect => {
      const end = estimatedEnd === null ? null : moment(estimatedEnd);
      const message = why.map((one) => one.message).join('; ');
      // Its guard evicts it in the drain's place, and nothing holds it.
      const would = why[0].code === reasons.guardLetsGo.code ? 'evict' : kind;
      return { node, pod, would, code: why[0].code, message, progressPercent, estimatedEnd: end };
    }),
    ...ignored.map(({ pod, reason: { code, message } }) => ({
      node,
      pod,
      would: 'leave' as const,
      code,
      message,
      ...unmeasured,
    })),
  ]);
}

/** The same for people. */
export const prospectsTable = (pods: readonly PodProspect[]): string =>
  table(
    ['NODE', 'POD', 'WOULD', 'WHY'],
    pods.map(({ node, pod, would, message }) =>
      [node, pod, would === 'never' ? 'NEVER' : would, message ?? ''].map(plain),
    ),
  );
