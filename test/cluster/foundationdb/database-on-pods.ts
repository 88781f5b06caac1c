import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fdbOptions } from '../../../src/embedded/engines/foundationdb/fdb-options.ts';
import { FoundationDB } from '../../../src/embedded/engines/foundationdb/foundationdb.ts';
import type { ServedFdb } from '../../../src/embedded/engines/foundationdb/serve-fdb.ts';
import { serveFdb } from '../../../src/embedded/engines/foundationdb/serve-fdb.ts';
import type { DiskId } from '../../../src/embedded/engines/model-engine.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import { seconds } from '../../../src/kube/clock.ts';
import { seededRandom } from '../../../src/kube/random.ts';
import { realClock } from '../../../src/kube/real-clock.ts';
import type { Pod } from '../../../src/kube/resources.ts';
import { pods } from '../../../src/kube/resources.ts';
import { name } from '../../../src/model/ids.ts';
import type { ConfigMap } from '../../../src/operator/resources.ts';
import { configMaps } from '../../../src/operator/resources.ts';
import { madeFrom } from '../../../src/operator/stateful-cluster/marks.ts';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { adminOf, wholeObjects } from '../whole-objects.ts';

const label = (pod: Pod, which: string): string => pod.metadata.labels?.[`drover.dev/${which}`] ?? '';

/** The name of the StatefulCluster in the examples. */
const usual = 'orders';

/** Which pods it runs in, and as what. */
interface Home {
  /** What its cluster file and its fdbcli are named after. */
  readonly name: string;
  readonly selector: string;
  /** What the database calls the process in a pod. */
  readonly group: (pod: Pod) => string;
  readonly role: (pod: Pod) => string;
}

/** The cluster that its pods are in. */
type Holder = Pick<Cluster, 'kubeconfig' | 'addProgram'>;

const ofDrover = (cluster: string): Home => ({
  name: cluster,
  selector: `drover.dev/cluster=${cluster}`,
  group: (pod) => label(pod, 'process-group'),
  role: (pod) => label(pod, 'role'),
});

/** Pods that others made: they say by the labels `app` and `tier` what runs in them, and the database has a name of its own for that. */
const ofOthers = (app: string): Home => ({
  name: app,
  selector: `app=${app}`,
  group: ({ metadata }) => `fdb-${metadata.name.replaceAll('-', '')}`,
  role: ({ metadata }) => metadata.labels?.['tier'] ?? '',
});

/**
 * A model FoundationDB that runs in the pods of a StatefulCluster on a real API server: a process starts when its pod runs, and stops when
 * the pod is told to. It is asked through an executable with fdbcli's command line, as the real one would be, which is in every container, together
 * with the cluster file that the kubelet would mount there.
 */
export class DatabaseOnPods {
  readonly database: FoundationDB;
  /** The program that speaks to it, for those who run it on this machine. */
  readonly fdbcli: string;
  readonly #served: ServedFdb;
  readonly #folder = mkdtempSync(join(tmpdir(), 'drover-fdb-test-'));
  readonly #end = new AbortController();
  readonly #watching: Promise<unknown>;
  readonly #running = new Map<string, string>();
  readonly #home: Home;

  private constructor(home: Home, cluster: Holder, client: KubeClient, database: FoundationDB, served: ServedFdb) {
    this.database = database;
    this.#served = served;
    this.#home = home;
    const { name: of } = home;
    const { signal } = this.#end;
    const itsPods = wholeObjects<Pod>(client, pods, { labelSelector: home.selector });
    itsPods.cache.subscribe({
      added: (pod) => this.#follow(pod),
      updated: (pod, before) => {
        // While nothing could be read a pod may have gone, and another one of its name have come.
        if (pod.metadata.uid !== before.metadata.uid) this.#stop(before);
        this.#follow(pod);
      },
      deleted: (pod) => this.#stop(pod),
    });
    const mounted = wholeObjects<ConfigMap>(client, configMaps, { fieldSelector: `metadata.name=${of}-connection` });
    mounted.cache.subscribe({
      added: (connection) => this.#mount(connection),
      updated: (connection) => this.#mount(connection),
      deleted: () => rmSync(this.#clusterFile, { force: true }),
    });
    this.#watching = Promise.all([itsPods.run(signal), mounted.run(signal)]);
    // One of them is found on the path of every container; the others are only for those who name them.
    this.fdbcli = cluster.addProgram(of === usual ? 'fdbcli' : `fdbcli-${of}`, this.#script());
  }

  /** For the pods of a StatefulCluster, which may be there or come later. To run fdbcli in them the cluster must be one with `exec`. */
  static async start(cluster: Holder, of = usual, clock: Clock = realClock): Promise<DatabaseOnPods> {
    return DatabaseOnPods.#start(cluster, ofDrover(of), clock);
  }

  /** For the pods of somebody else, by their label `app`. Whoever made them has to create the database, and a ConfigMap with its cluster file. */
  static async startFor(cluster: Holder, app: string, clock: Clock): Promise<DatabaseOnPods> {
    return DatabaseOnPods.#start(cluster, ofOthers(app), clock);
  }

  static async #start(cluster: Holder, home: Home, clock: Clock): Promise<DatabaseOnPods> {
    const database = new FoundationDB(fdbOptions({ clock, random: seededRandom(1), bytes: 2 ** 30, ...quick }));
    return new DatabaseOnPods(home, cluster, await adminOf(cluster), database, await serveFdb(() => database));
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watching;
    await this.#served.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #clusterFile(): string {
    return join(this.#folder, 'fdb.cluster');
  }

  #mount({ data = {} }: ConfigMap): void {
    writeFileSync(this.#clusterFile, data['fdb.cluster'] ?? '');
  }

  #script(): string {
    const model = join(import.meta.dirname, '../../../src/embedded/engines/foundationdb/fdbcli.ts');
    const surroundings = `FDB_MODEL_ADDRESS=${this.#served.address} FDB_CLUSTER_FILE=${this.#clusterFile}`;
    return `#!/bin/sh\n${surroundings} exec ${process.execPath} ${model} "$@"\n`;
  }

  #follow(pod: Pod): void {
    const { metadata, spec, status = {} } = pod;
    if (metadata.deletionTimestamp !== undefined) return this.#stop(pod);
    const group = this.#home.group(pod);
    if (status.phase !== 'Running' || status.podIP === undefined || this.#running.get(group) === metadata.uid) return;
    this.#running.set(group, metadata.uid ?? '');
    const claim = spec.volumes?.find((volume) => volume.persistentVolumeClaim !== undefined);
    const disk = claim?.persistentVolumeClaim?.claimName ?? metadata.uid ?? '';
    this.database.start({
      id: name(group),
      group: name(group),
      role: name(this.#home.role(pod)),
      zone: name(spec.nodeName ?? ''),
      address: `${metadata.annotations?.[madeFrom.publicIP] ?? status.podIP}:4501`,
      disk: name<DiskId & { readonly names: 'disk' }>(disk),
    });
  }

  #stop(pod: Pod): void {
    const group = this.#home.group(pod);
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
