import type { KeyText } from '../../kube/object.ts';
import type { Decision } from '../../model/decision.ts';
import type { Uid } from '../../model/ids.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { rulesFor } from '../../rules/role-table.ts';
import type { ControllerContext } from '../controller.ts';
import type { AskRow } from '../lock/ask-row.ts';
import type { BegunDrains } from '../lock/begun-drains.ts';
import type { GuardedPod, HeardAsk } from '../lock/desk.ts';
import { guardKey } from '../lock/desk.ts';
import type { Askers } from '../lock/gather-asks.ts';
import { gatherAsks } from '../lock/gather-asks.ts';
import type { Cluster } from './cluster.ts';
import type { Objects } from './objects.ts';
import type { Recorded } from './recorded.ts';

/** Where those who want pods of a cluster gone are found. */
export interface AskSources {
  readonly context: Pick<ControllerContext, 'desk' | 'leavingTaints'>;
  readonly drains: BegunDrains;
  readonly objects: Objects;
}

/** Who wants which pods of a cluster gone. */
export interface Asking {
  readonly rows: readonly AskRow[];
  /** What the webhook heard and went into the rows. */
  readonly heard: readonly HeardAsk[];
}

/** What there is to ask for, at one moment. */
type Seen = Pick<Askers, 'now' | 'groups' | 'nodes'>;

export const guardOf = (key: KeyText) => guardKey('StatefulCluster', key);

/** Whether somebody might ask for a node or a pod, so that the nodes are worth reading. */
export function mayBeAsked({ context, drains }: AskSources, { key }: Cluster, { asks }: Recorded): boolean {
  const { desk, leavingTaints } = context;
  return (
    leavingTaints.length > 0 || asks.length > 0 || drains.all().length > 0 || desk.asksFor(guardOf(key)).length > 0
  );
}

export function askingOf(
  { context, drains, objects }: AskSources,
  cluster: Cluster,
  { asks }: Recorded,
  seen: Seen,
): Asking {
  const { desk, leavingTaints } = context;
  const heard = desk.asksFor(guardOf(cluster.key));
  const forces = new Map<Uid, string | undefined>(objects.podsOf(cluster).map(({ pod, force }) => [pod.uid, force]));
  const forceOf = (pod: Uid) => forces.get(pod);
  const rows = gatherAsks({
    ...seen,
    recorded: asks,
    heard,
    drains: drains.all(),
    leavingTaints,
    forceOf,
  });
  return { rows, heard };
}

/** What was decided about a cluster, and who asked. */
interface Decided {
  readonly after: Snapshot;
  readonly decision: Decision;
  readonly asking: Asking;
}

/** Lays down what was decided and recorded, for those who ask for pods. */
export function publish(
  { context: { desk } }: AskSources,
  cluster: Cluster,
  { after, decision, asking }: Decided,
): void {
  const pods = new Map<string, GuardedPod>();
  for (const { id, role, pod } of after.processGroups) {
    const locked = rulesFor(after.spec.engine, role)?.locked !== false;
    if (pod !== null) pods.set(pod.name, { group: id, pod, locked });
  }
  const cordoned = (after.nodes ?? []).filter((node) => node.cordoned).map(({ name }) => name);
  const asked = asking.rows.flatMap(({ node, letGoAt }) => (node === null || letGoAt !== null ? [] : [node]));
  desk.publish(guardOf(cluster.key), {
    decision,
    pods,
    asks: asking.rows,
    leaving: new Set([...cordoned, ...asked]),
  });
  desk.forget(
    guardOf(cluster.key),
    asking.heard.filter((ask) => isWritten(ask, asking.rows)),
  );
}

/** On record as it was heard, or not taken up because the pod is gone or the ask was taken back. */
function isWritten({ pod, by, lastSeen }: HeardAsk, rows: readonly AskRow[]): boolean {
  const row = rows.find((one) => one.pod === pod && one.by === by && one.source === 'Eviction');
  return row === undefined || row.lastSeen >= lastSeen;
}
