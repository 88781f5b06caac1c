import { nodeDrain } from '../../api/kinds.ts';
import { toTimestamp } from '../../kube/clock.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { ControllerContext } from '../controller.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import { withJudgements } from '../status/conditions.ts';
import { notBegun } from './status-conditions.ts';

/** Says in the status of a NodeDrain that breaks a present rule that nothing is done about it. Says it once. */
export async function refuse(
  { client, clock }: Pick<ControllerContext, 'client' | 'clock'>,
  object: KubeObject & { readonly status?: unknown },
  why: string,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, resourceVersion, generation = 0 } = object.metadata;
  const before = nodeDrain.status.safeParse(object.status ?? {}).data?.conditions ?? [];
  const judgement = notBegun('InvalidSpec', why);
  const said = before.find(({ type }) => type === judgement.type);
  if (said?.reason === judgement.reason && said.observedGeneration === generation) return;
  const conditions = withJudgements(before, [judgement], { generation, now: toTimestamp(clock.now()) });
  const body = { metadata: { uid, resourceVersion }, status: { observedGeneration: generation, conditions } };
  const options = { signal, subresource: 'status', fieldManager: 'drover' };
  await client.patch(nodeDrains, { name }, { type: 'merge', body }, options);
}
