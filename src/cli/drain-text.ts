import type { NodeDrainStatus } from '../api/v1alpha1/node-drain.schema.ts';
import type { DrainPlan } from '../model/drain.ts';
import { count, moment } from '../model/phrases.ts';
import { reasons } from '../model/reasons.ts';
import { plain } from './plain.ts';
import { table } from './table.ts';

/** What happened between two looks at a drain, in plain lines, as they are read in a pipe or a log. */
export function newsBetween(before: NodeDrainStatus | undefined, now: NodeDrainStatus): readonly string[] {
  const rows = new Map(before?.nodes.map((row) => [row.name, row]));
  return now.nodes
    .flatMap((row) => {
      const known = rows.get(row.name);
      const isStep = known?.phase !== row.phase;
      const said = new Set(
        [...(known?.reasons ?? []), ...(known?.waiting ?? []).flatMap((pod) => pod.reasons)].map(
          ({ message }) => message,
        ),
      );
      const waits = [...row.reasons, ...row.waiting.flatMap((pod) => pod.reasons.slice(0, 1))];
      const left = row.phase === 'Draining' && (isStep || known?.podsLeft !== row.podsLeft);
      return [
        ...(isStep && row.phase === 'Draining' ? [`node/${row.name} cordoned`] : []),
        ...(left && row.podsLeft > 0 ? [`node/${row.name}: ${count(row.podsLeft, 'pod')} left`] : []),
        ...waits
          .filter(({ message, code }) => !said.has(message) && !everyday.has(code))
          .map(({ message }) => `waits: ${message}`),
        ...(isStep && row.phase === 'Drained' ? [`node/${row.name} drained`] : []),
      ];
    })
    .map(plain);
}

/** Passes by itself within seconds. */
const everyday: ReadonlySet<string> = new Set([reasons.podGoing.code, reasons.nodeNotRead.code]);

/** Whether all that is left on the nodes can only go when a person decides. */
export function willNeverEnd({ phase, nodes, counts }: NodeDrainStatus): boolean {
  if (phase === 'Completed' || counts.podsLeft === 0) return false;
  const waiting = nodes.flatMap((row) => row.waiting);
  const isForGood = ({ verdict, reasons: [first] }: (typeof waiting)[number]) =>
    verdict === 'never' || first?.code === reasons.nodeBlocked.code;
  return waiting.length > 0 && waiting.length === Math.min(100, counts.podsLeft) && waiting.every(isForGood);
}

/** What still holds a drain: one line each. */
export const whatWaits = ({ nodes }: NodeDrainStatus): readonly string[] =>
  nodes
    .flatMap((row) => [...row.reasons, ...row.waiting.flatMap((pod) => pod.reasons.slice(0, 1))])
    .map(({ code, message }) => plain(`  ${code}: ${message}`));

/** What would become of one pod. */
export interface PodProspect {
  readonly node: string;
  readonly pod: string;
  readonly would: 'evict' | 'wait' | 'never' | 'leave';
  /** Why it does not just go; null: it does. */
  readonly code: string | null;
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
    ...waiting.map(({ pod, kind, reasons: [{ code, message }], progressPercent, estimatedEnd }) => {
      const end = estimatedEnd === null ? null : moment(estimatedEnd);
      return { node, pod, would: kind, code, message, progressPercent, estimatedEnd: end };
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
