import { statefulCluster } from '../../api/kinds.ts';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { KubeClient } from '../../kube/client.ts';
import { seconds } from '../../kube/clock.ts';
import type { Logger } from '../../kube/log.ts';
import type { KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport, TransportRequest } from '../../kube/transport.ts';
import type { EngineSources } from '../../operator/engine-room/engine-source.ts';
import { foundationdbSource } from '../../operator/engine-room/foundationdb-source.ts';
import { Desk } from '../../operator/lock/desk.ts';
import { droverUser } from '../../operator/manifests.ts';
import { names } from '../../operator/names.ts';
import { connectionKey } from '../../operator/stateful-cluster/connection.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import { listAt, textAt } from '../api-server/json.ts';
import { EmbeddedCluster } from '../cluster/cluster.ts';
import type { PodProcess } from '../cluster/kubelet/pod-hooks.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { podsOf } from '../cluster/pod-view.ts';
import type { FdbOptions } from '../engines/foundationdb/fdb-options.ts';
import type { FoundationDB } from '../engines/foundationdb/foundationdb.ts';
import type { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import type { StoreOptions } from '../engines/replicated-store/store-options.ts';
import { runEmbeddedOperator } from './embedded-operator.ts';
import { callingWebhook } from './embedded-webhook.ts';
import { FoundationDBDatabases } from './foundationdb-databases.ts';
import { installDrover } from './install-drover.ts';
import { Denied, forbidden, refusal } from './refusal.ts';
import { StoreDatabases } from './store-databases.ts';

interface StatefulClusterObject extends KubeObject {
  readonly spec: StatefulClusterSpecInput;
}

export interface OperatedWorldOptions {
  readonly seed?: number;
  /** @default 9, in three zones */
  readonly nodes?: number;
  readonly database?: Partial<FdbOptions>;
  /** The pods run a replicated store behind the http contract instead. */
  readonly store?: Partial<StoreOptions>;
  /** What the operator has no rights on, to begin with: `resourcequotas`. */
  readonly unreadable?: readonly string[];
  /** Taints by which others say that a node is about to go. @default none */
  readonly leavingTaints?: readonly string[];
  /** False: the operator was started with `--no-foreign-webhook`. @default true */
  readonly coversForeign?: boolean;
  /** On whose account the operator runs. @default the service account of its own */
  readonly runsAs?: string;
}

/** A cluster in memory with the operator's own controllers and a model database in the pods of every StatefulCluster. Time moves when told. */
export class OperatedWorld {
  readonly clock = new VirtualClock();
  readonly cluster: EmbeddedCluster;
  readonly people: KubeClient;
  /** Whatever of this kind the operator makes is refused, as a policy of the cluster does. */
  refused: { readonly plural: string; readonly status: number; readonly message: string } | undefined;
  /** How often that happened. */
  refusals = 0;
  readonly denied: Denied;
  /** Everything that the operator wrote and was not refused before it reached the API server, without dry runs: `POST /api/v1/namespaces/db/pods`. */
  readonly writes: string[] = [];
  /** How many requests the operator has sent; watches, which it takes up again by chance, apart. */
  requests = 0;
  watches = 0;
  /** What was logged as an error. */
  readonly errors: unknown[] = [];
  /** The pods whose evictions the API server asked the webhook about: `db/orders-storage-1`. */
  readonly asked: string[] = [];
  /** False: the API server does not reach the webhook, whether the operator lives or not. */
  webhookIsReachable = true;
  readonly #leavingTaints: readonly string[];
  readonly #coversForeign: boolean;
  readonly #runsAs: string;
  readonly #databases: FoundationDBDatabases;
  readonly #stores: StoreDatabases;
  readonly #random;
  #life: { readonly end: AbortController; readonly ended: Promise<void>; readonly desk: Desk } | undefined;
  /** The operator dies at the write of this number, counted from the start of the world. */
  #dies: { readonly write: number; readonly landed: boolean } | undefined;

  constructor({
    seed = 1,
    nodes = 9,
    database = {},
    store,
    unreadable = [],
    leavingTaints = [],
    coversForeign = true,
    runsAs = droverUser,
  }: OperatedWorldOptions = {}) {
    const { clock } = this;
    this.denied = new Denied(unreadable);
    this.#random = seededRandom(seed);
    this.#leavingTaints = leavingTaints;
    this.#coversForeign = coversForeign;
    this.#runsAs = runsAs;
    this.#databases = new FoundationDBDatabases({ clock, random: seededRandom(seed + 1), database });
    this.#stores = new StoreDatabases({ clock, random: seededRandom(seed + 1), store: () => store ?? {} });
    this.cluster = new EmbeddedCluster({
      clock,
      random: seededRandom(seed + 2),
      nodes,
      zones: 3,
      namespaces: ['default', 'kube-system', 'kube-public', 'kube-node-lease', names.namespace, 'db'],
      hooks: store === undefined ? this.#databases.hooks : this.#stores.hooks,
      runProgram: (process, command, signal) =>
        this.#databases.run(process, command, this.#connectionFileIn(process), signal),
      callWebhook: callingWebhook(clock, {
        living: () => (this.webhookIsReachable ? this.#living : undefined),
        onCall: ({ namespace, name }) => void this.asked.push(`${namespace}/${name}`),
      }),
    });
    this.people = this.#client(this.cluster.transport());
  }

  /** With the kinds in place and the operator running. */
  async begin(): Promise<void> {
    await this.cluster.ready();
    await installDrover(this.people, this.#call);
    await this.pass(2);
    this.startOperator();
  }

  startOperator(): void {
    const end = new AbortController();
    const desk = new Desk(this.clock);
    const ended = runEmbeddedOperator(
      {
        transport: this.#watched(this.cluster.transport(this.#runsAs), end),
        clock: this.clock,
        random: this.#random,
        logger: this.#logger,
        engines: this.engines,
        desk,
        leavingTaints: this.#leavingTaints,
        coversForeign: this.#coversForeign,
      },
      end.signal,
    );
    this.#life = { end, ended, desk };
  }

  /** Where the operator that lives meets those who ask; undefined: none lives. */
  get desk(): Desk | undefined {
    return this.#living?.desk;
  }

  get #living(): { readonly desk: Desk; readonly end: AbortSignal } | undefined {
    return this.#life === undefined || this.isDead ? undefined : { desk: this.#life.desk, end: this.#life.end.signal };
  }

  /** How the operator, and whoever else, reaches the databases. */
  get engines(): EngineSources {
    return { foundationdb: foundationdbSource(this.clock), http: this.#stores.source(this.people) };
  }

  /** It is gone from one moment to the next, and knows nothing when it is started again. */
  async killOperator(): Promise<void> {
    const { end, ended } = this.#life ?? {};
    this.#life = undefined;
    end?.abort(new Error('the operator was killed'));
    const life = { isOver: ended === undefined };
    const over = () => {
      life.isOver = true;
    };
    void ended?.then(over, over);
    // What it is in the middle of ends by timers, if only of no time at all.
    while (!life.isOver) await this.pass(0.01);
  }

  /** The operator dies at its so many-th write, which is done or not. `isDead` tells when. */
  killAtWrite(write: number, landed: boolean): void {
    this.#dies = { write, landed };
  }

  get isDead(): boolean {
    return this.#life?.end.signal.aborted !== false;
  }

  async pass(time: number): Promise<void> {
    await this.clock.pass(seconds(time));
  }

  /** Until `isSo`, looking every few seconds; false: it was not so within the time. */
  async until(isSo: () => Promise<boolean> | boolean, within: number): Promise<boolean> {
    for (let waited = 0; waited < within; waited += 5) {
      if (await isSo()) return true;
      await this.pass(5);
    }
    return isSo();
  }

  async create(key: string, spec: StatefulClusterSpecInput): Promise<void> {
    const object: StatefulClusterObject = { metadata: parseKey(key), spec };
    await this.people.create(statefulClusters, object, this.#call);
  }

  async change(key: string, spec: object): Promise<void> {
    await this.people.patch(statefulClusters, parseKey(key), { type: 'merge', body: { spec } }, this.#call);
  }

  async status(key: string): Promise<StatefulClusterStatus> {
    const read: KubeObject & { readonly status?: unknown } = await this.people.get(
      statefulClusters,
      parseKey(key),
      this.#call,
    );
    return statefulCluster.status.parse(read.status ?? {});
  }

  /** Everything is there, nothing leaves and nothing waits. */
  async isAtRest(key: string): Promise<boolean> {
    const { counts, processGroups } = await this.status(key);
    const isWhole = counts.current === counts.desired && counts.available === counts.desired && counts.desired > 0;
    return isWhole && counts.leaving === 0 && processGroups.every(({ conditions }) => conditions.length === 0);
  }

  pods(namespace: string): readonly PodView[] {
    return [...podsOf(this.cluster.world, namespace)];
  }

  database(key: string): FoundationDB {
    return this.#databases.of(key);
  }

  /** From now on no fdbcli of this cluster ends by itself. */
  hang(key: string): void {
    this.#databases.hanging.add(key);
  }

  store(key: string): ReplicatedStore {
    return this.#stores.of(key);
  }

  async end(): Promise<void> {
    await this.killOperator();
    await this.cluster.stop();
  }

  /** What the ConfigMap holds that is mounted into the pod. */
  #connectionFileIn({ namespace, pod }: PodProcess): string {
    const name = listAt(pod.object, 'spec', 'volumes')
      .map((volume) => textAt(volume, 'configMap', 'name'))
      .find((text) => text !== '');
    const stored = this.cluster.world.store.collection('configmaps').get(namespace, name ?? '');
    return textAt(stored?.object, 'data', connectionKey);
  }

  readonly #call = { signal: new AbortController().signal };

  readonly #logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, values) => void this.errors.push([message, values]),
    with: () => this.#logger,
  };

  #client(transport: Transport): KubeClient {
    const rateLimit = { perSecond: 1e6, burst: 1e6 };
    return new KubeClient({ transport, clock: this.clock, random: this.#random, rateLimit });
  }

  #watched(direct: Transport, end: AbortController): Transport {
    return {
      close: () => direct.close(),
      send: async (request, signal) => {
        if (request.path.includes('watch=true')) this.watches += 1;
        else this.requests += 1;
        if (this.denied.refuses(request)) return forbidden;
        const isRefused =
          request.method === 'POST' && this.refused !== undefined && isAbout(request, this.refused.plural);
        if (isRefused) this.refusals += 1;
        if (isRefused && this.refused !== undefined) return refusal(this.refused.status, this.refused.message);
        if (request.path.includes('dryRun=All')) return direct.send(request, signal);
        if (request.method === 'GET' || isEvent(request)) return direct.send(request, signal);
        const dies = this.#dies !== undefined && this.writes.length + 1 >= this.#dies.write ? this.#dies : undefined;
        if (dies?.landed === false) this.#die(end);
        this.writes.push(`${request.method} ${request.path.split('?', 1)[0]}`);
        const response = await direct.send(request, signal);
        if (dies !== undefined) this.#die(end);
        return response;
      },
    };
  }

  #die(end: AbortController): never {
    this.#dies = undefined;
    end.abort(new Error('the operator was killed'));
    throw end.signal.reason;
  }
}

const isAbout = ({ path }: TransportRequest, plural: string): boolean => /[^/?]+(?=$|\?)/.exec(path)?.[0] === plural;

/** Events are told on the side: nothing depends on them. */
const isEvent = ({ path }: TransportRequest): boolean => path.includes('/events');
