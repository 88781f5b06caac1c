import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { contractTransport } from '../../../src/embedded/engines/http/serve-contract.ts';
import type { DiskId } from '../../../src/embedded/engines/model-engine.ts';
import { ReplicatedStore } from '../../../src/embedded/engines/replicated-store/replicated-store.ts';
import type { StoreOptions } from '../../../src/embedded/engines/replicated-store/store-options.ts';
import { storeOptions } from '../../../src/embedded/engines/replicated-store/store-options.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import { millis, seconds } from '../../../src/kube/clock.ts';
import { seededRandom } from '../../../src/kube/random.ts';
import type { Pod } from '../../../src/kube/resources.ts';
import { pods } from '../../../src/kube/resources.ts';
import { name } from '../../../src/model/ids.ts';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { adminOf, wholeObjects } from '../whole-objects.ts';

const label = (pod: Pod, which: string): string => pod.metadata.labels?.[`drover.dev/${which}`] ?? '';

const mebibyte = 2 ** 20;

/** Once the pods can be read again, what was missed is read within this time, in milliseconds. */
const caughtUpWithin = 300;

/** Times in which a test can wait. A copy whose process is silent is made anew after a few seconds. */
const quick = {
  dataRole: name<StoreOptions['dataRole']>('shard'),
  quorumRole: name<StoreOptions['dataRole']>('none'),
  replicationFactor: 2,
  rebuildDelay: seconds(4),
  election: { least: millis(200), most: millis(600) },
  leftoverDelay: seconds(1),
};

export interface StoreShape extends Partial<StoreOptions> {
  /** How many pods it will run in at first. */
  readonly count: number;
  readonly shards?: number;
  readonly shardBytes?: number;
}

/**
 * A replicated store that runs in the pods of a StatefulCluster on a real API server, and serves the http contract. Where a pod has no claim its
 * data is gone with it, at once and for good: the store's truth is what a drain must not harm.
 */
export class StoreOnPods {
  readonly store: ReplicatedStore;
  readonly url: string;
  readonly #server: Server;
  readonly #shape: StoreShape;
  #filled = false;
  /** Whether the pods cannot be read just now, and since when that is so, or not so any more. */
  #isBlind = false;
  #healthSince = 0;
  readonly #end = new AbortController();
  readonly #watching: Promise<unknown>;
  readonly #running = new Map<string, string>();

  private constructor(of: string, shape: StoreShape, client: KubeClient, store: ReplicatedStore, server: Server) {
    this.store = store;
    this.#shape = shape;
    this.#server = server;
    const address = server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const itsPods = wholeObjects<Pod>(client, pods, {
      labelSelector: `drover.dev/cluster=${of}`,
      onHealth: (trouble) => {
        this.#isBlind = trouble !== undefined;
        this.#healthSince = performance.now();
      },
    });
    itsPods.cache.subscribe({
      added: (pod) => this.#follow(pod),
      updated: (pod, before) => {
        // While nothing could be read a pod may have gone, with its data, and another one of its name have come.
        if (pod.metadata.uid !== before.metadata.uid) this.#stop(before);
        this.#follow(pod);
      },
      deleted: (pod) => this.#stop(pod),
    });
    this.#watching = itsPods.run(this.#end.signal);
  }

  /** For the pods of a StatefulCluster, which may be there or come later. */
  static async start(
    cluster: Pick<Cluster, 'kubeconfig'>,
    clock: Clock,
    of: string,
    shape: StoreShape,
  ): Promise<StoreOnPods> {
    const random = seededRandom(1);
    const store = new ReplicatedStore(storeOptions({ clock, random, ...quick, ...shape }));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const onPods = new StoreOnPods(of, shape, await adminOf(cluster), store, server);
    server.on('request', (request, response) => {
      if (onPods.#mayBeWrong) request.destroy();
      else void answer(store, request, response);
    });
    return onPods;
  }

  /** Whether it has its data. */
  get filled(): boolean {
    return this.#filled;
  }

  /** The process groups that hold data. */
  holders(): ReadonlySet<string> {
    return new Set(this.store.whole().units.flatMap(({ replicas }) => replicas.map(({ process }) => process)));
  }

  /** Every copy that should be there is, and nothing was lost. */
  get isSound(): boolean {
    return this.store.whole().health.fullyReplicated === true && this.store.truth().lost.length === 0;
  }

  /** Whether processes may have died, or begun, that a real engine would know of: better to say nothing than that. */
  get #mayBeWrong(): boolean {
    return this.#isBlind || performance.now() - this.#healthSince < caughtUpWithin;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watching;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #follow(pod: Pod): void {
    const { metadata, spec, status = {} } = pod;
    if (metadata.deletionTimestamp !== undefined) return this.#stop(pod);
    const group = label(pod, 'process-group');
    if (status.phase !== 'Running' || status.podIP === undefined || this.#running.get(group) === metadata.uid) return;
    this.#running.set(group, metadata.uid ?? '');
    this.store.start({
      id: name(group),
      group: name(group),
      role: name(label(pod, 'role')),
      zone: name(spec.nodeName ?? ''),
      address: `${status.podIP}:8080`,
      disk: diskOf(pod),
    });
    this.#fill();
  }

  /** In the same breath as the last process comes: whoever sees all of them sees the data too. */
  #fill(): void {
    const { count, shards = 6, shardBytes = mebibyte } = this.#shape;
    if (this.#filled || this.#running.size < count) return;
    this.#filled = true;
    for (let shard = 1; shard <= shards; shard++) this.store.createShard(name(`s${shard}`), shardBytes);
  }

  #stop(pod: Pod): void {
    const group = label(pod, 'process-group');
    if (this.#running.get(group) !== pod.metadata.uid) return;
    this.#running.delete(group);
    this.store.stop(name(group));
    if (claimOf(pod) === undefined) this.store.loseDisk(diskOf(pod));
  }
}

const claimOf = ({ spec }: Pod): string | undefined =>
  spec.volumes?.find((volume) => volume.persistentVolumeClaim !== undefined)?.persistentVolumeClaim?.claimName;

const diskOf = (pod: Pod): DiskId => name<DiskId & { readonly names: 'disk' }>(claimOf(pod) ?? pod.metadata.uid ?? '');

/** A store that is silent breaks the connection. */
async function answer(store: ReplicatedStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const asked = { method, path: request.url ?? '', headers: {}, body: await text(request) } as const;
    const { status, headers, body } = await contractTransport(store).send(asked, new AbortController().signal);
    response.writeHead(status, { 'content-type': headers['content-type'] ?? '' });
    for await (const chunk of body) response.write(chunk);
    response.end();
  } catch {
    request.destroy();
  }
}
