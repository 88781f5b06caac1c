import { globSync, readFileSync } from 'node:fs';
import { statefulCluster } from '../../../src/api/kinds.ts';
import type { StatefulClusterStatus } from '../../../src/api/v1alpha1/stateful-cluster-status.schema.ts';
import type { FdbOptions } from '../../../src/embedded/engines/foundationdb/fdb-options.ts';
import { FoundationDBDatabases } from '../../../src/embedded/operated/foundationdb-databases.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { seconds } from '../../../src/kube/clock.ts';
import { jsonCodec } from '../../../src/kube/codec.ts';
import type { Connection } from '../../../src/kube/connection.ts';
import { Informer } from '../../../src/kube/informer.ts';
import { kubeconfigConnection } from '../../../src/kube/kubeconfig.ts';
import type { Logger } from '../../../src/kube/log.ts';
import { nodeTransport } from '../../../src/kube/node-transport.ts';
import type { KubeObject } from '../../../src/kube/object.ts';
import { keyText } from '../../../src/kube/object.ts';
import { realRandom, seededRandom } from '../../../src/kube/random.ts';
import { realClock } from '../../../src/kube/real-clock.ts';
import type { Transport } from '../../../src/kube/transport.ts';
import { names } from '../../../src/operator/names.ts';
import { runOperator } from '../../../src/operator/operator.ts';
import { statefulClusters } from '../../../src/operator/stateful-cluster/view.ts';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { QuickClock } from '../quick-clock.ts';
import { quickTransport } from '../quick-transport.ts';
import { FollowedPods } from './followed-pods.ts';

/** A StatefulCluster as it was at one moment. */
export interface Seen {
  readonly key: string;
  readonly version: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: StatefulClusterStatus;
}

/** Nodes that nobody else uses carry the name of their story here. */
export const poolLabel = 'example.com/pool';
export const sharedPool = 'shared';

/** What the operator and the databases take for this many seconds passes in one. */
const times = 10;

/**
 * A real control plane on which many stories are played at once: one operator, in this process, with its own account, rights and lease, and a
 * model FoundationDB in the pods of every StatefulCluster. Kubernetes takes its own time; the operator and the databases have a quick clock, by
 * which they read Kubernetes' times too.
 */
export class Stage {
  readonly plane: Cluster;
  readonly clock: QuickClock;
  readonly people: KubeClient;
  /** What people's requests go over. */
  readonly direct: Transport;
  readonly databases: FoundationDBDatabases;
  readonly pods: FollowedPods;
  /** What the operator logged as an error. */
  readonly errors: unknown[] = [];
  readonly #account: Connection;
  readonly #clusters: Informer<Seen>;
  readonly #history = new Map<string, Seen[]>();
  readonly #told: { readonly key: string; readonly argv: readonly string[] }[] = [];
  readonly #special = new Map<string, Partial<FdbOptions>>();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;
  readonly #commands = new Map<string, () => void>();
  readonly #deletes = new Map<string, (pod: string) => Promise<void>>();
  #operating: Promise<void> | undefined;
  #deaths = 0;
  #health = 0;

  private constructor(plane: Cluster, account: Connection, direct: Transport) {
    this.plane = plane;
    this.#account = account;
    this.direct = direct;
    const rateLimit = { perSecond: 1000, burst: 1000 };
    const people = new KubeClient({ transport: direct, clock: realClock, random: realRandom, rateLimit });
    this.people = people;
    const clock = new QuickClock(times);
    this.clock = clock;
    const database = (key: string) => ({ ...quick, ...this.#special.get(key) });
    const onCommand = (key: string, argv: readonly string[]) => {
      this.#told.push({ key, argv });
      this.#commands.get(key)?.();
    };
    this.databases = new FoundationDBDatabases({ clock, random: seededRandom(1), database, onCommand });
    this.pods = new FollowedPods(people, this.databases.hooks);
    this.#clusters = new Informer<Seen>({
      client: people,
      clock: realClock,
      random: realRandom,
      resource: statefulClusters,
      codec: jsonCodec<KubeObject & { readonly status?: unknown }, Seen>(seen),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
      onHandlerError: (error) => this.errors.push(error),
    });
    const keep = (one: Seen) => this.#history.set(one.key, [...(this.#history.get(one.key) ?? []), one]);
    this.#clusters.cache.subscribe({ added: keep, updated: keep });
    this.#following = Promise.all([this.pods.run(this.#end.signal), this.#clusters.run(this.#end.signal)]);
  }

  /** With the kinds and the operator's rights in place. The operator is not running yet. */
  static async set(nodes: number): Promise<Stage> {
    const plane = await startCluster({ nodes: 0 });
    const shared = Array.from({ length: nodes }, (_, index) => ({
      name: `n${index + 1}`,
      zone: `z${(index % 3) + 1}`,
    }));
    await plane.addNodes(shared.map((node) => ({ ...node, labels: { [poolLabel]: sharedPool } })));
    for (const file of globSync('deploy/crds/*.yaml')) await plane.apply(readFileSync(file, 'utf8'));
    await plane.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    await plane.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
    const kubeconfig = await plane.kubeconfigFor({ namespace: names.namespace, serviceAccount: names.serviceAccount });
    const direct = nodeTransport(await kubeconfigConnection(plane.kubeconfig, realClock));
    return new Stage(plane, await kubeconfigConnection(kubeconfig, realClock), direct);
  }

  /**
   * Runs the operator, and the next one whenever one has ended, as whoever runs it would. `through` may step between it and the API server, and
   * may kill it: from one moment to the next nothing of it reaches anybody any more, not even the news that it is gone.
   */
  keepOperator(through: (direct: Transport, die: () => never) => Transport = (direct) => direct): void {
    this.#operating = (async () => {
      for (let life = 1; !this.#end.signal.aborted; life++) await this.#operate(life, through);
    })();
  }

  async #operate(life: number, through: (direct: Transport, die: () => never) => Transport): Promise<void> {
    const killed = new AbortController();
    const quickly = quickTransport(nodeTransport(this.#account), this.clock);
    const direct = this.#announced(mortal(quickly, killed.signal));
    const die = () => {
      killed.abort(new Error('the operator was killed'));
      throw killed.signal.reason;
    };
    const options = {
      connection: this.#account,
      transport: through(direct, die),
      clock: this.clock,
      random: realRandom,
      logger: this.#logger,
      namespace: names.namespace,
      identity: `operator-${life}`,
      leaseDuration: seconds(30 * times),
      // The API server is not quicker than usual.
      requestDeadline: seconds(30 * times),
      host: '127.0.0.1',
      healthPort: 0,
      webhookPort: 0,
      engines: { foundationdb: this.databases.sourceBy(this.clock) },
      onListening: ({ health }: { readonly health: number }) => void (this.#health = health),
    };
    await runOperator(options, AbortSignal.any([killed.signal, this.#end.signal])).catch((error: unknown) => {
      if (!killed.signal.aborted) this.errors.push(error);
    });
    // The first one that dies leaves its lease behind, and the next one leads when it has run out.
    if (killed.signal.aborted && this.#deaths++ > 0) await this.#freeLease();
  }

  /** Nobody waits for the leases of all dead ones to run out: a long one costs no time then, and a busy machine does not lose it. */
  async #freeLease(): Promise<void> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${names.namespace}/leases`;
    await this.plane.request('DELETE', path);
  }

  /** The database of this cluster is not like the others. To be said before the cluster is made. */
  makeSpecial(key: string, options: Partial<FdbOptions>): void {
    this.#special.set(key, options);
  }

  /** Called whenever fdbcli is about to be run for the cluster. */
  beforeCommands(key: string, heard: () => void): void {
    this.#commands.set(key, heard);
  }

  /** Hears of every pod of the namespace that the operator deletes, before the API server does, which is asked once this is done. */
  beforeDeletes(namespace: string, heard: (pod: string) => Promise<void>): void {
    this.#deletes.set(namespace, heard);
  }

  #announced(direct: Transport): Transport {
    return {
      close: () => direct.close(),
      send: async (request, signal) => {
        const [, namespace = '', pod = ''] = /\/namespaces\/([^/]+)\/pods\/([^/?]+)/.exec(request.path) ?? [];
        if (request.method === 'DELETE') await this.#deletes.get(namespace)?.(pod);
        return direct.send(request, signal);
      },
    };
  }

  /** What the operator serves at /metrics. */
  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#health}/metrics`)).text();
  }

  /** The cluster as it was at every moment, in order. */
  history(key: string): readonly Seen[] {
    return this.#history.get(key) ?? [];
  }

  /** The command lines that fdbcli was given for the cluster, in order. */
  told(key: string): readonly (readonly string[])[] {
    return this.#told.flatMap((one) => (one.key === key ? [one.argv] : []));
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#operating;
    await this.#following;
    await this.plane.stop();
  }

  readonly #logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, values) => void this.errors.push([message, values]),
    with: () => this.#logger,
  };
}

/** Until it is cut nothing is different; from then on nothing passes. */
const mortal = (direct: Transport, cut: AbortSignal): Transport => ({
  close: () => direct.close(),
  async send(request, signal) {
    cut.throwIfAborted();
    return direct.send(request, AbortSignal.any([signal, cut]));
  },
});

function seen({ metadata, status }: KubeObject & { readonly status?: unknown }): Seen {
  let read: Seen['status'] | undefined;
  return {
    key: keyText(metadata),
    version: metadata.resourceVersion ?? '',
    annotations: metadata.annotations ?? {},
    // Most of them are never looked at.
    get status() {
      read ??= statefulCluster.status.parse(status ?? {});
      return read;
    },
  };
}

/** Little data, and ten minutes after a recovery that pass in ten seconds. */
const quick: Partial<FdbOptions> = { bytes: 2 ** 30, recoveryAgesBy: 60 };
