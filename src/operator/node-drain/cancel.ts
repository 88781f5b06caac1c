import { nodeDrain } from '../../api/kinds.ts';
import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { toTimestamp } from '../../kube/clock.ts';
import type { KubeObject } from '../../kube/object.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import { withJudgements } from '../status/conditions.ts';
import { leaveCordoned, uncordon } from './cordon.ts';
import type { ReadDrain } from './drain.ts';
import { isHeld, letGo } from './finalizers.ts';
import { cancelled } from './status-conditions.ts';

/** What a cancel works with. */
export interface CancelParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Hears of the last status. */
  readonly tell: (read: ReadDrain, status: NodeDrainStatus) => void;
}

/**
 * A NodeDrain was deleted. Before it was done, that is the cancel: every node that it cordoned is uncordoned, also those that were drained already.
 * After that, its nodes stay as they are. The nodes are those on record, which come before every cordon, and each is read anew.
 */
export async function cancel({ client, clock, tell }: CancelParts, object: Raw, signal: AbortSignal): Promise<void> {
  if (!isHeld(object)) return;
  const { name } = object.metadata;
  const status = nodeDrain.status.safeParse(object.status ?? {}).data;
  const isDone = status?.phase === 'Completed';
  const present =
    status === undefined || isDone ? object : await announce({ client, clock, tell }, object, status, signal);
  for (const node of status?.nodes ?? []) await (isDone ? leaveCordoned : uncordon)(client, node.name, name, signal);
  await letGo(client, present, signal);
}

interface Raw extends KubeObject {
  readonly status?: unknown;
  readonly spec?: unknown;
}

/** Whoever works on account of the drain reads its phase: they stop before anything is taken back. */
async function announce(
  { client, clock, tell }: CancelParts,
  object: Raw,
  before: NodeDrainStatus,
  signal: AbortSignal,
): Promise<KubeObject> {
  if (before.phase === 'Cancelling') return object;
  const { name, uid = '', generation = 0, resourceVersion = '', finalizers = [] } = object.metadata;
  const conditions = withJudgements(before.conditions, [cancelled], { generation, now: toTimestamp(clock.now()) });
  const status: NodeDrainStatus = { ...before, phase: 'Cancelling', conditions };
  const body = { metadata: { uid, resourceVersion }, status };
  const options = { signal, subresource: 'status', fieldManager: 'drover' };
  const written = await client.patch(nodeDrains, { name }, { type: 'merge', body }, options);
  const spec = nodeDrain.spec.safeParse(object.spec).data;
  if (spec !== undefined) tell({ name, uid, generation, resourceVersion, finalizers, spec, status: before }, status);
  return written;
}
