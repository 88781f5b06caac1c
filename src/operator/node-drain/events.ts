import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { EventRecord } from '../../kube/event-series.ts';
import { reasons } from '../../model/reasons.ts';

/** An event about a drain. */
export interface DrainEvent extends Pick<EventRecord, 'type' | 'reason' | 'action' | 'note'> {
  /** Whether something began to wait. */
  readonly isWait: boolean;
}

/** What goes by itself in seconds is not worth an event for each pod. */
const everyday: ReadonlySet<string> = new Set([
  reasons.podGoing.code,
  reasons.nodeNotRead.code,
  reasons.nodeWaits.code,
  reasons.nodeGone.code,
]);

/** What happened between two statuses of a drain. */
export function eventsBetween(before: NodeDrainStatus, now: NodeDrainStatus): readonly DrainEvent[] {
  const rows = new Map(before.nodes.map((row) => [row.name, row]));
  const steps = now.nodes.flatMap(({ name, phase }) =>
    rows.get(name)?.phase === phase || phase === 'Pending' ? [] : [stepOf(name, phase)],
  );
  const said = new Set(before.nodes.flatMap(waitsIn).map(({ key }) => key));
  const waits = now.nodes
    .flatMap(waitsIn)
    .filter(({ key, code }) => !said.has(key) && !everyday.has(code))
    .map(({ code, message, isNever }): DrainEvent => {
      return { type: isNever ? 'Warning' : 'Normal', reason: code, action: 'Wait', note: message, isWait: true };
    });
  const ends = before.phase === now.phase ? [] : (endings[now.phase] ?? []);
  return [...steps, ...waits, ...ends];
}

const happened = (reason: string, action: string, note: string): DrainEvent => ({
  type: 'Normal',
  reason,
  action,
  note,
  isWait: false,
});

const endings: Readonly<Partial<Record<NodeDrainStatus['phase'], readonly DrainEvent[]>>> = {
  Completed: [happened('Completed', 'Drain', 'every node is drained')],
  Cancelling: [happened('Cancelled', 'Cancel', 'deleted before it was done: what it cordoned is uncordoned')],
};

function stepOf(node: string, phase: NodeDrainStatus['nodes'][number]['phase']): DrainEvent {
  if (phase === 'Draining')
    return happened('NodeDraining', 'Cordon', `${node} is cordoned, and its pods are told to go`);
  if (phase === 'Gone')
    return happened('NodeGone', 'Drain', `${node} no longer exists, and what ran on it is gone with it`);
  return happened('NodeDrained', 'Drain', `${node} is drained`);
}

function waitsIn({ name, reasons: ofNode, waiting }: NodeDrainStatus['nodes'][number]) {
  return [
    ...ofNode.map(({ code, message }) => ({ key: `${name} ${code}`, code, message, isNever: false })),
    ...waiting.flatMap(({ pod, verdict, reasons: why }) =>
      why.map(({ code, message }) => ({ key: `${pod} ${code}`, code, message, isNever: verdict === 'never' })),
    ),
  ];
}
