import { LastAnswer } from '../../kube/last-answer.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Cluster } from './cluster.ts';
import { readCluster } from './read-cluster.ts';

/**
 * StatefulClusters as they were read last, so that a look at one that nobody wrote to since costs no parsing. A spec is the very same object for
 * as long as the generation stays, whatever is written into the status: what was worked out from it can be kept by it.
 */
export class ClusterMemory {
  readonly #clusters = new Map<KeyText, Cluster>();
  readonly #answers = new Map<KeyText, LastAnswer<KubeObject>>();

  /** To ask the API server for the cluster with. */
  answerOf(key: KeyText): LastAnswer<KubeObject> {
    const last = this.#answers.get(key) ?? new LastAnswer<KubeObject>();
    this.#answers.set(key, last);
    return last;
  }

  /** Throws `InvalidObjectError`. */
  read(object: KubeObject): Cluster {
    const key = keyText(object.metadata);
    const known = this.#clusters.get(key);
    const { uid, generation, resourceVersion } = object.metadata;
    const isSame = known !== undefined && known.uid === uid && known.generation === generation;
    if (isSame && known.resourceVersion === resourceVersion) return known;
    const cluster = readCluster(object, isSame ? known.spec : undefined);
    this.#clusters.set(key, cluster);
    return cluster;
  }

  /** The cluster is gone. */
  leave(key: KeyText): void {
    this.#clusters.delete(key);
    this.#answers.delete(key);
  }
}
