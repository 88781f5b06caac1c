import type { KubeClient } from '../../src/kube/client.ts';
import { jsonCodec } from '../../src/kube/codec.ts';
import { isConflict } from '../../src/kube/errors.ts';
import type { ObjectKey } from '../../src/kube/object.ts';
import { keyOf } from '../../src/kube/object.ts';
import type { Pod } from '../../src/kube/resources.ts';
import { nodes as everyNode, pods } from '../../src/kube/resources.ts';
import { mostInFlight } from '../../src/plan/eviction-line.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';

const call = { signal: new AbortController().signal };

/** The real thing. */
export async function byKubectl(cluster: Cluster, nodes: readonly string[]): Promise<void> {
  await cluster.kubectl(['drain', ...nodes, '--ignore-daemonsets']);
}

/** A NodeDrain that the operator, in a process of its own, takes up. */
export async function byNodeDrain(cluster: Cluster, nodes: readonly string[]): Promise<void> {
  const spec = { nodes, maxConcurrentNodes: nodes.length };
  const object = { apiVersion: 'drover.dev/v1alpha1', kind: 'NodeDrain', metadata: { name: 'bench' }, spec };
  await cluster.create('/apis/drover.dev/v1alpha1/nodedrains', object);
}

/**
 * Nothing but cordons and evictions, as many of these on their way as a NodeDrain has at most. What conflicts is sent again. Gives how many did.
 */
export async function byRawClient(client: KubeClient, nodes: readonly string[]): Promise<number> {
  const body = { spec: { unschedulable: true } };
  await Promise.all(nodes.map((name) => client.patch(everyNode, { name }, { type: 'merge', body }, call)));
  const names = jsonCodec<Pod, ObjectKey>(keyOf);
  const lists = nodes.map((node) => client.list(pods, names, { fieldSelector: `spec.nodeName=${node}`, ...call }));
  const line = (await Promise.all(lists)).flatMap(({ items }) => items);
  let conflicts = 0;
  const one = async (): Promise<void> => {
    for (let pod = line.shift(); pod !== undefined; pod = line.shift()) {
      try {
        await client.evict(pod, call);
      } catch (error) {
        if (!isConflict(error)) throw error;
        conflicts += 1;
        line.push(pod);
      }
    }
  };
  await Promise.all(Array.from({ length: mostInFlight }, one));
  return conflicts;
}
