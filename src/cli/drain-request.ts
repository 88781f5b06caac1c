import { createHash } from 'node:crypto';
import { nodeDrain } from '../api/kinds.ts';
import type { NodeDrainSpec, NodeDrainSpecInput, NodeDrainStatus } from '../api/v1alpha1/node-drain.schema.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import { millis, sleep } from '../kube/clock.ts';
import { jsonCodec } from '../kube/codec.ts';
import { ConfigurationError, isNotFound } from '../kube/errors.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Node } from '../kube/resources.ts';
import { nodes } from '../kube/resources.ts';
import { nodeDrains } from '../operator/lock/begun-drains.ts';

interface DrainObject extends KubeObject {
  readonly spec: NodeDrainSpecInput;
  readonly status?: unknown;
}

/** The nodes that were named, and those with the labels. Throws `ConfigurationError` where there is none, or one is missing. */
export async function chosenNodes(
  client: KubeClient,
  names: readonly string[],
  selector: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (selector !== undefined) {
    const codec = jsonCodec<Node, string>(({ metadata }) => metadata.name);
    const { items } = await client.list(nodes, codec, { labelSelector: selector, signal });
    if (items.length === 0) throw new ConfigurationError(`no node has the labels ${selector}`);
    return items;
  }
  for (const name of names) await exists(client, name, signal);
  return [...new Set(names)];
}

async function exists(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.get(nodes, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) throw new ConfigurationError(`there is no node ${name}; kubectl get nodes lists them`);
    throw error;
  }
}

/** The same nodes have the same drain, so that who types the command again finds the one that is under way. */
export function drainName(names: readonly string[]): string {
  const sorted = names.toSorted();
  const plainName = `drain-${sorted.join('-')}`;
  if (plainName.length <= 63) return plainName;
  const hash = createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 10);
  return `drain-${names.length}-nodes-${hash}`;
}

/** What becomes of a drain that is asked for. */
export type Asked = 'created' | 'joined';

/**
 * Asks for the drain. One of the same nodes that is under way gets the new settings and is followed; one that is done is an old story, and
 * gives way to a new one.
 */
export async function askFor(
  client: KubeClient,
  clock: Clock,
  name: string,
  spec: NodeDrainSpec,
  signal: AbortSignal,
): Promise<Asked> {
  const before = (await lookAt(client, name, signal))?.status;
  if (before !== undefined && before.phase !== 'Completed' && before.phase !== 'Cancelling') {
    const { pods, deadline, maxConcurrentNodes, afterwards } = spec;
    const body = { spec: { pods, deadline, maxConcurrentNodes, afterwards } };
    await client.patch(nodeDrains, { name }, { type: 'merge', body }, { signal, fieldManager: 'drover-cli' });
    return 'joined';
  }
  if (before !== undefined) {
    await client.delete(nodeDrains, { name }, { signal });
    while ((await lookAt(client, name, signal)) !== undefined) await sleep(clock, millis(200), signal);
  }
  const object: DrainObject = { metadata: { name }, spec };
  await client.create(nodeDrains, object, { signal, fieldManager: 'drover-cli', fieldValidation: 'Strict' });
  return 'created';
}

/** A look at a drain. */
export interface DrainLook {
  readonly status: NodeDrainStatus;
  /** Whether the status was made from the spec as it is now. */
  readonly isCurrent: boolean;
}

/** A drain as it is; undefined: there is no such drain. */
export async function lookAt(client: KubeClient, name: string, signal: AbortSignal): Promise<DrainLook | undefined> {
  const read: (KubeObject & { readonly status?: unknown }) | undefined = await client.find(
    nodeDrains,
    { name },
    { signal },
  );
  if (read === undefined) return undefined;
  const status = nodeDrain.status.parse(read.status ?? {});
  return { status, isCurrent: status.observedGeneration >= (read.metadata.generation ?? 0) };
}
