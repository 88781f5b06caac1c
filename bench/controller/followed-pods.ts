import type { FoundationDBDatabases } from '../../src/embedded/operated/foundationdb-databases.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { jsonCodec } from '../../src/kube/codec.ts';
import { Informer } from '../../src/kube/informer.ts';
import { keyText } from '../../src/kube/object.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import type { Pod } from '../../src/kube/resources.ts';
import { pods } from '../../src/kube/resources.ts';
import { name } from '../../src/model/ids.ts';
import { groupLabels } from '../../src/operator/stateful-cluster/marks.ts';

/** Lets the model databases run in the pods of a real API server: a process for every pod that runs, until it is told to stop. */
export async function followPods(
  client: KubeClient,
  databases: FoundationDBDatabases,
  signal: AbortSignal,
): Promise<void> {
  const running = new Map<string, string>();
  const stop = (pod: Pod) => {
    const key = keyText(pod.metadata);
    if (running.get(key) !== pod.metadata.uid) return;
    running.delete(key);
    databases.of(clusterOf(pod)).stop(name(label(pod, groupLabels.processGroup)));
  };
  const follow = (pod: Pod) => {
    const { metadata, spec, status = {} } = pod;
    if (metadata.deletionTimestamp !== undefined) return stop(pod);
    const key = keyText(metadata);
    if (status.phase !== 'Running' || status.podIP === undefined || running.has(key)) return;
    running.set(key, metadata.uid ?? '');
    const group = label(pod, groupLabels.processGroup);
    const claim = spec.volumes?.find((volume) => volume.persistentVolumeClaim !== undefined);
    databases.of(clusterOf(pod)).start({
      id: name(group),
      group: name(group),
      role: name(label(pod, groupLabels.role)),
      zone: name(spec.nodeName ?? ''),
      address: `${status.podIP}:4501`,
      disk: name(`${clusterOf(pod)}/${claim?.persistentVolumeClaim?.claimName ?? metadata.uid}`),
    });
  };
  const informer = new Informer<Pod>({
    client,
    clock: realClock,
    random: realRandom,
    resource: pods,
    labelSelector: groupLabels.cluster,
    codec: jsonCodec<Pod, Pod>((pod) => pod),
    key: ({ metadata }) => keyText(metadata),
    version: ({ metadata }) => metadata.resourceVersion ?? '',
    indexes: {},
    onHandlerError: (error) => console.error(error),
  });
  informer.cache.subscribe({ added: follow, updated: follow, deleted: stop });
  await informer.run(signal);
}

const label = (pod: Pod, key: string): string => pod.metadata.labels?.[key] ?? '';
const clusterOf = (pod: Pod): string => `${pod.metadata.namespace}/${label(pod, groupLabels.cluster)}`;
