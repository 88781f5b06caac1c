import type { Decision } from '../../model/decision.ts';
import type { Uid } from '../../model/ids.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { ControllerContext } from '../controller.ts';
import type { AskRow } from './ask-row.ts';
import type { BegunDrains } from './begun-drains.ts';
import type { Desk, GuardedPod, GuardKey, HeardAsk } from './desk.ts';
import type { Askers } from './gather-asks.ts';
import { gatherAsks } from './gather-asks.ts';
import { isLocked } from './is-locked.ts';

/** Where those who want pods gone are found. */
export interface AskSources {
  readonly context: Pick<ControllerContext, 'desk' | 'leavingTaints'>;
  readonly drains: BegunDrains;
}

/** Who wants which pods of an owner gone. */
export interface Asking {
  readonly rows: readonly AskRow[];
  /** What the webhook heard and went into the rows. */
  readonly heard: readonly HeardAsk[];
}

/** A pod of an owner, as far as it can be asked for. */
interface AskedPod {
  readonly pod: { readonly uid: Uid };
  readonly force: string | undefined;
  /** Kubernetes wants it off its node because of a taint, and its deletion was refused. */
  readonly isTaintEvicted?: boolean;
}

/** What there is to ask for, at one moment. */
type Seen = Pick<Askers, 'now' | 'groups' | 'nodes' | 'leaving' | 'recorded'> & { readonly pods: readonly AskedPod[] };

/** Whether somebody might ask for a node or a pod, so that the nodes are worth reading. */
export function mayBeAsked({ context, drains }: AskSources, guard: GuardKey, recorded: readonly AskRow[]): boolean {
  const { desk, leavingTaints } = context;
  return leavingTaints.length > 0 || recorded.length > 0 || drains.all().length > 0 || desk.asksFor(guard).length > 0;
}

export function askingOf({ context, drains }: AskSources, guard: GuardKey, { pods, ...seen }: Seen): Asking {
  const { desk, leavingTaints } = context;
  const heard = desk.asksFor(guard);
  const forces = new Map<Uid, string | undefined>(pods.map(({ pod, force }) => [pod.uid, force]));
  const taintEvicted = new Set(pods.flatMap(({ pod, isTaintEvicted }) => (isTaintEvicted === true ? [pod.uid] : [])));
  const rows = gatherAsks({
    ...seen,
    heard,
    drains: drains.all(),
    leavingTaints,
    taintEvicted,
    forceOf: (pod) => forces.get(pod),
  });
  return { rows, heard };
}

/** What was decided about the pods of an owner, and who asked. */
interface Decided {
  readonly after: Snapshot;
  readonly decision: Decision;
  readonly asking: Asking;
}

/** Lays down what was decided and recorded, for those who ask for pods. */
export function publish(desk: Desk, guard: GuardKey, { after, decision, asking }: Decided): void {
  const pods = new Map<string, GuardedPod>();
  for (const { id, role, pod } of after.processGroups) {
    if (pod !== null) pods.set(pod.name, { group: id, pod, locked: isLocked(after.spec.engine, role) });
  }
  const cordoned = (after.nodes ?? []).filter((node) => node.cordoned).map(({ name }) => name);
  const asked = asking.rows.flatMap(({ node, letGoAt }) => (node === null || letGoAt !== null ? [] : [node]));
  desk.publish(guard, { decision, pods, asks: asking.rows, leaving: new Set([...cordoned, ...asked]) });
  desk.forget(
    guard,
    asking.heard.filter((ask) => isWritten(ask, asking.rows)),
  );
}

/** On record as it was heard, or not taken up because the pod is gone or the ask was taken back. */
function isWritten({ pod, by, lastSeen }: HeardAsk, rows: readonly AskRow[]): boolean {
  const row = rows.find((one) => one.pod === pod && one.by === by && one.source === 'Eviction');
  return row === undefined || row.lastSeen >= lastSeen;
}
