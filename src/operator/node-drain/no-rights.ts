import { nodeDrain } from '../../api/kinds.ts';
import { toTimestamp } from '../../kube/clock.ts';
import type { KubeApiError } from '../../kube/errors.ts';
import { isForbidden, wordsOf } from '../../kube/errors.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import { collectionPath } from '../../kube/resource.ts';
import { nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import { withJudgements } from '../status/conditions.ts';
import { heldByRights } from './status-conditions.ts';

/** What a drain lacks where the API server refuses it nodes, and what to do about it, with the server's words. */
export const lacksRights = (error: KubeApiError): string =>
  `Drover may not ${error.request.method === 'PATCH' ? 'change' : 'read'} nodes: ` +
  `give its role get, list, watch and patch of nodes, as deploy/rbac.yaml has it (${wordsOf(error)})`;

/** Whether the API server refused to show or to change a node. */
export const isAboutRights = (error: unknown): error is KubeApiError =>
  isForbidden(error) && error.request.path.startsWith(`${collectionPath(nodes)}/`);

interface Raw extends KubeObject {
  readonly status?: unknown;
}

/** Says in the status that the drain, or its cancel, stands still because a node may not be read or changed. Says it once. */
export async function sayRights(
  { client, clock }: Pick<ControllerContext, 'client' | 'clock'>,
  key: KeyText,
  error: KubeApiError,
  signal: AbortSignal,
): Promise<void> {
  const object: Raw | undefined = await client.find(nodeDrains, parseKey(key), { signal });
  const before = nodeDrain.status.safeParse(object?.status ?? {}).data?.conditions;
  if (object === undefined || before === undefined) return;
  const { uid, resourceVersion, generation = 0, deletionTimestamp } = object.metadata;
  const judgement = heldByRights(
    `${deletionTimestamp === undefined ? 'nothing goes on' : 'it is not taken back yet'}: ${lacksRights(error)}`,
  );
  const said = before.find(({ type }) => type === judgement.type);
  if (said?.reason === judgement.reason && said.message === judgement.message) return;
  const conditions = withJudgements(before, [judgement], { generation, now: toTimestamp(clock.now()) });
  const body = { metadata: { uid, resourceVersion }, status: { conditions } };
  const options = { signal, subresource: 'status', fieldManager: 'drover' };
  await client.patch(nodeDrains, parseKey(key), { type: 'merge', body }, options);
}
