import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Connection } from '../../kube/connection.ts';
import { ConnectionLost } from '../../kube/errors.ts';
import type { Random } from '../../kube/random.ts';
import type { Transport } from '../../kube/transport.ts';
import type { ProcessId } from '../../model/ids.ts';
import type { EngineSource } from '../../operator/engine-room/engine-source.ts';
import { httpSource } from '../../operator/engine-room/http-source.ts';
import { groupLabels } from '../../operator/stateful-cluster/marks.ts';
import type { PodHooks, PodProcess } from '../cluster/kubelet/pod-hooks.ts';
import { contractTransport } from '../engines/http/serve-contract.ts';
import type { EngineProcess } from '../engines/model-engine.ts';
import { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import type { StoreOptions } from '../engines/replicated-store/store-options.ts';
import { storeOptions } from '../engines/replicated-store/store-options.ts';
import { diskOf, serverOfOthers, serversIn } from './servers-in-pod.ts';

export interface StoreDatabasesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How the store of a cluster is built, by `namespace/name`. */
  readonly store: (cluster: string) => Partial<StoreOptions>;
}

/**
 * A replicated store for every StatefulCluster, which runs in whatever pods carry the cluster's labels, or the labels `app` and `tier` where others
 * made them, and is reached by the http contract: at `http://name.namespace`, or at the address of any of its pods.
 */
export class StoreDatabases {
  readonly #options: StoreDatabasesOptions;
  readonly #stores = new Map<string, ReplicatedStore>();
  /** Which cluster the process at an address is of. */
  readonly #at = new Map<string, string>();

  constructor(options: StoreDatabasesOptions) {
    this.#options = options;
  }

  /** The store of a cluster, by `namespace/name`. */
  of(cluster: string): ReplicatedStore {
    const known = this.#stores.get(cluster);
    if (known !== undefined) return known;
    const { clock, random, store } = this.#options;
    const made = new ReplicatedStore(storeOptions({ clock, random, ...store(cluster) }));
    this.#stores.set(cluster, made);
    return made;
  }

  /** How an operator with this clock reaches them: the adapter that ships, over a wire in memory. Only what its credentials allow is sent. */
  source(client: KubeClient, clock = this.#options.clock): EngineSource {
    return httpSource({ client, clock, transportTo: (connection) => this.#to(connection) });
  }

  readonly hooks: Required<PodHooks> = {
    onPodStarted: (process) => {
      this.#at.set(process.address, clusterOf(process));
      for (const server of storesIn(process)) this.of(clusterOf(process)).start(server);
    },
    // Only of those that are told to stop a store thinks for a while that all is well: what the world does by itself is known at once, so that
    // nobody can be blamed for what he could not know.
    onPodStopped: (process, why) => {
      this.#at.delete(process.address);
      const noticed = why === 'deleted' ? undefined : 'noticed';
      for (const id of idsIn(process)) this.of(clusterOf(process)).stop(id, noticed);
    },
    onDiskLost: (volume) => {
      for (const store of this.#stores.values()) store.loseDisk(diskOf(volume));
    },
  };

  #to(connection: Connection): Transport {
    const { server } = connection;
    const [service = '', namespace = ''] = server.hostname.split('.');
    const isAddress = /^[\d.]+$/.test(server.hostname);
    return {
      send: async (request, signal) => {
        await connection.credentials();
        const cluster = isAddress ? this.#at.get(server.hostname) : `${namespace}/${service}`;
        if (cluster === undefined) throw new ConnectionLost(`${server.host}: nobody is there`, { sent: false });
        return contractTransport(this.of(cluster)).send(request, signal);
      },
      close() {},
    };
  }
}

/** By the label of Drover's own pods, or of pods that somebody else made. */
const clusterOf = ({ namespace, pod: { labels } }: PodProcess): string =>
  `${namespace}/${labels[groupLabels.cluster] ?? labels['app'] ?? ''}`;

/** What runs in a pod of Drover's, or the one server of a pod that somebody else made: it is called as the pod is. */
function storesIn(process: PodProcess): readonly EngineProcess[] {
  const { pod, address } = process;
  return pod.labels['tier'] === undefined ? serversIn(process) : [serverOfOthers(process, pod.name, address)];
}

const idsIn = (process: PodProcess): readonly ProcessId[] => storesIn(process).map(({ id }) => id);
