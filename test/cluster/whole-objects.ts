import { KubeClient } from '../../src/kube/client.ts';
import { millis } from '../../src/kube/clock.ts';
import { jsonCodec } from '../../src/kube/codec.ts';
import type { InformerOptions } from '../../src/kube/informer.ts';
import { Informer } from '../../src/kube/informer.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { keyText } from '../../src/kube/object.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import type { Resource } from '../../src/kube/resource.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';

/** A client that may do everything. */
export async function adminOf(cluster: Pick<Cluster, 'kubeconfig'>): Promise<KubeClient> {
  const transport = nodeTransport(await kubeconfigConnection(cluster.kubeconfig, realClock));
  return new KubeClient({ transport, clock: realClock, random: realRandom });
}

/** Follows objects with everything that is in them, for tests, which may hold it all. */
export function wholeObjects<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  scope: Pick<InformerOptions<T, never>, 'labelSelector' | 'fieldSelector' | 'onHealth'>,
): Informer<T> {
  return new Informer<T>({
    client,
    clock: realClock,
    random: realRandom,
    resource,
    ...scope,
    codec: jsonCodec<T, T>((object) => object),
    key: ({ metadata }) => keyText(metadata),
    version: ({ metadata }) => metadata.resourceVersion ?? '',
    indexes: {},
    // What stands for an engine must not know less of its processes, because the API server was away, than an engine would.
    backoff: { first: millis(50), most: millis(500), factor: 2, jitter: 1 },
    onHandlerError: (error) => {
      throw error;
    },
  });
}
