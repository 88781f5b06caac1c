import type { KubeClient } from '../../kube/client.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import type { Node } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import { cordonedBy } from './marks.ts';

/** Kubelets and controllers write to nodes all the time, so that a conflict says little. */
const tries = 5;

/**
 * Cordons a node in the name of a drain, which is written on the node with the same write. One that is cordoned already was cordoned by somebody
 * else, and stays theirs. False: nothing was to be done, or there is no such node.
 */
export const cordon = (client: KubeClient, node: string, drain: string, signal: AbortSignal): Promise<boolean> =>
  change(client, node, signal, ({ spec }) =>
    spec?.unschedulable === true
      ? undefined
      : { metadata: { annotations: { [cordonedBy]: drain } }, spec: { unschedulable: true } },
  );

/** Uncordons a node if this drain cordoned it. False: it did not, or there is no such node. */
export const uncordon = (client: KubeClient, node: string, drain: string, signal: AbortSignal): Promise<boolean> =>
  change(client, node, signal, ({ metadata }) =>
    metadata.annotations?.[cordonedBy] === drain
      ? { metadata: { annotations: { [cordonedBy]: null } }, spec: { unschedulable: null } }
      : undefined,
  );

/** Leaves a node cordoned, and forgets who did it. */
export const leaveCordoned = (client: KubeClient, node: string, drain: string, signal: AbortSignal): Promise<boolean> =>
  change(client, node, signal, ({ metadata }) =>
    metadata.annotations?.[cordonedBy] === drain ? { metadata: { annotations: { [cordonedBy]: null } } } : undefined,
  );

/** Uncordons a node whoever cordoned it, as `kubectl uncordon` does. False: it was not cordoned. */
export const uncordonAnyway = (client: KubeClient, node: string, signal: AbortSignal): Promise<boolean> =>
  change(client, node, signal, ({ spec }) =>
    spec?.unschedulable === true
      ? { metadata: { annotations: { [cordonedBy]: null } }, spec: { unschedulable: null } }
      : undefined,
  );

interface Change {
  readonly metadata: object;
  readonly spec?: object;
}

/** Reads the node and changes it as it is then, or not at all: what a view said may be long past. */
async function change(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
  decide: (node: Node) => Change | undefined,
): Promise<boolean> {
  for (let left = tries; ; left--) {
    try {
      const node = await client.get(nodes, { name }, { signal });
      const wanted = decide(node);
      if (wanted === undefined) return false;
      const { resourceVersion, uid } = node.metadata;
      const body = { ...wanted, metadata: { ...wanted.metadata, resourceVersion, uid } };
      await client.patch(nodes, { name }, { type: 'merge', body }, { signal, fieldManager: 'drover' });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || left <= 1) throw error;
    }
  }
}
