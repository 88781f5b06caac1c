import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fdbOptions } from '../../../src/embedded/engines/foundationdb/fdb-options.ts';
import { FoundationDB } from '../../../src/embedded/engines/foundationdb/foundationdb.ts';
import type { ServedFdb } from '../../../src/embedded/engines/foundationdb/serve-fdb.ts';
import { serveFdb } from '../../../src/embedded/engines/foundationdb/serve-fdb.ts';
import type { DiskId } from '../../../src/embedded/engines/model-engine.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { seconds } from '../../../src/kube/clock.ts';
import { jsonCodec } from '../../../src/kube/codec.ts';
import { Informer } from '../../../src/kube/informer.ts';
import { kubeconfigConnection } from '../../../src/kube/kubeconfig.ts';
import { nodeTransport } from '../../../src/kube/node-transport.ts';
import { keyText } from '../../../src/kube/object.ts';
import { realRandom, seededRandom } from '../../../src/kube/random.ts';
import { realClock } from '../../../src/kube/real-clock.ts';
import type { Pod } from '../../../src/kube/resources.ts';
import { pods } from '../../../src/kube/resources.ts';
import { name } from '../../../src/model/ids.ts';

const label = (pod: Pod, which: string): string => pod.metadata.labels?.[`drover.dev/${which}`] ?? '';

/**
 * A model FoundationDB that runs in the pods of a StatefulCluster on a real API server: a process starts when its pod runs, and stops when the
 * pod is told to. It is asked through an executable with fdbcli's command line, as the real one would be.
 */
export class DatabaseOnPods {
  readonly database: FoundationDB;
  readonly #folder: string;
  readonly #served: ServedFdb;
  readonly #end = new AbortController();
  readonly #watching: Promise<void>;
  readonly #running = new Map<string, string>();

  private constructor(database: FoundationDB, folder: string, served: ServedFdb, informer: Informer<Pod>) {
    this.database = database;
    this.#folder = folder;
    this.#served = served;
    informer.cache.subscribe({
      added: (pod) => this.#follow(pod),
      updated: (pod) => this.#follow(pod),
      deleted: (pod) => this.#stop(pod),
    });
    this.#watching = informer.run(this.#end.signal);
  }

  /** For the pods of a cluster, which may be there or come later. */
  static async start(kubeconfig: string, cluster = 'orders'): Promise<DatabaseOnPods> {
    const folder = await mkdtemp(join(tmpdir(), 'drover-fdb-test-'));
    const database = new FoundationDB(
      fdbOptions({ clock: realClock, random: seededRandom(1), bytes: 2 ** 30, ...quick }),
    );
    const served = await serveFdb(() => database);
    const client = new KubeClient({
      transport: nodeTransport(await kubeconfigConnection(kubeconfig, realClock)),
      clock: realClock,
      random: realRandom,
    });
    const informer = new Informer<Pod>({
      client,
      clock: realClock,
      random: realRandom,
      resource: pods,
      labelSelector: `drover.dev/cluster=${cluster}`,
      codec: jsonCodec<Pod, Pod>((pod) => pod),
      key: ({ metadata }) => keyText(metadata),
      version: ({ metadata }) => metadata.resourceVersion ?? '',
      indexes: {},
      onHandlerError: (error) => {
        throw error;
      },
    });
    const on = new DatabaseOnPods(database, folder, served, informer);
    await writeFile(on.fdbcli, on.#script());
    await chmod(on.fdbcli, 0o755);
    return on;
  }

  /** The program that speaks to it. */
  get fdbcli(): string {
    return join(this.#folder, 'fdbcli');
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watching;
    await this.#served.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #script(): string {
    const model = join(import.meta.dirname, '../../../src/embedded/engines/foundationdb/fdbcli.ts');
    return `#!/bin/sh\nFDB_MODEL_ADDRESS=${this.#served.address} exec ${process.execPath} ${model} "$@"\n`;
  }

  #follow(pod: Pod): void {
    const { metadata, spec, status = {} } = pod;
    if (metadata.deletionTimestamp !== undefined) return this.#stop(pod);
    const group = label(pod, 'process-group');
    if (status.phase !== 'Running' || status.podIP === undefined || this.#running.get(group) === metadata.uid) return;
    this.#running.set(group, metadata.uid ?? '');
    const claim = spec.volumes?.find((volume) => volume.persistentVolumeClaim !== undefined);
    const disk = claim?.persistentVolumeClaim?.claimName ?? metadata.uid ?? '';
    this.database.start({
      id: name(group),
      group: name(group),
      role: name(label(pod, 'role')),
      zone: name(spec.nodeName ?? ''),
      address: `${status.podIP}:4501`,
      disk: name<DiskId & { readonly names: 'disk' }>(disk),
    });
  }

  #stop(pod: Pod): void {
    const group = label(pod, 'process-group');
    if (this.#running.get(group) !== pod.metadata.uid) return;
    this.#running.delete(group);
    this.database.stop(name(group));
  }
}

/** Times in which a test can wait. */
const quick = {
  failureDetection: seconds(5),
  recovery: { least: seconds(1), most: seconds(2) },
  recoveryAgesBy: 200,
  generationDrain: { least: seconds(1), most: seconds(2) },
  roleRemoval: seconds(1),
  betterLogs: seconds(5),
};
