import { KubeClient } from '../../kube/client.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import { elapsed, minutes, seconds, sleep } from '../../kube/clock.ts';
import { seededRandom } from '../../kube/random.ts';
import { names } from '../../operator/names.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import { EmbeddedCluster } from '../cluster/cluster.ts';
import type { PodHooks } from '../cluster/kubelet/pod-hooks.ts';
import { callingWebhook } from '../operated/embedded-webhook.ts';
import { FoundationDBDatabases } from '../operated/foundationdb-databases.ts';
import { installDrover } from '../operated/install-drover.ts';
import { StoreDatabases } from '../operated/store-databases.ts';
import type { Models } from './database.ts';
import { DemoDatabase } from './database.ts';
import { databasePlans } from './databases.ts';
import { LivingDrover } from './living-drover.ts';

export interface DemoWorldOptions {
  readonly clock: Clock;
  /** What chance draws, such as where pods are placed. @default one that spreads them well */
  readonly seed?: number;
}

/** Everything in the demo that is not the person in front of it: nine nodes in three zones, the databases, and Drover with its lock and webhook. */
export class DemoWorld {
  readonly clock: Clock;
  readonly cluster: EmbeddedCluster;
  readonly databases: readonly DemoDatabase[];
  readonly drover: LivingDrover;
  /** How people reach the API server. */
  readonly people: KubeClient;
  readonly #end = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor({ clock, seed = wellSpread }: DemoWorldOptions) {
    this.clock = clock;
    // Each has its own numbers, so that one draw more here changes nothing there.
    const random = (stream: number) => seededRandom(seed * 31 + stream);
    const models: Models = {
      foundationdb: new FoundationDBDatabases({ clock, random: random(3) }),
      stores: new StoreDatabases({ clock, random: random(4), store: storeOf }),
    };
    this.cluster = new EmbeddedCluster({
      clock,
      random: random(1),
      nodes: 9,
      zones: 3,
      namespaces: [...usualNamespaces, names.namespace, ...databasePlans.map(({ name }) => name)],
      hooks: hooksOf(models),
      callWebhook: callingWebhook(clock, { living: () => this.drover.living }),
    });
    this.databases = databasePlans.map((plan) => new DemoDatabase(plan, this.cluster, models));
    this.people = this.clientOf(jane);
    const engines = { foundationdb: models.foundationdb.sourceBy(clock), http: models.stores.source(this.people) };
    this.drover = new LivingDrover({
      cluster: this.cluster,
      clock,
      random: random(5),
      engines,
      onDefect: (error) => this.fail(error),
    });
  }

  /** Aborted when the world ends, by `stop` or by a defect of its own, which is then the reason. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Somebody at the API server. */
  clientOf(user: string, onWarning: (warning: string) => void = () => {}): KubeClient {
    const transport = this.cluster.transport(user);
    const rateLimit = { perSecond: 1e6, burst: 1e6 };
    return new KubeClient({ transport, clock: this.clock, random: seededRandom(1), rateLimit, onWarning });
  }

  database(name: string): DemoDatabase {
    const found = this.databases.find((database) => database.name === name);
    if (found === undefined) throw new RangeError(`the demo has no database ${name}`);
    return found;
  }

  /** As `kubectl patch statefulcluster` does it. */
  async change({ name }: DemoDatabase, spec: object): Promise<void> {
    const { signal } = this;
    await this.people.patch(statefulClusters, { namespace: name, name }, { type: 'merge', body: { spec } }, { signal });
  }

  /** Resolves when all databases serve, have their data, and Drover has seen that. */
  async start(): Promise<void> {
    const { signal } = this;
    await this.cluster.ready();
    await installDrover(this.clientOf('system:admin'), { signal });
    await this.pass(seconds(1));
    this.drover.live();
    for (const { name, plan } of this.databases) {
      const object = { metadata: { namespace: name, name }, spec: plan.spec };
      await this.people.create(statefulClusters, object, { signal });
    }
    await this.#until(({ isUp }) => isUp);
    for (const database of this.databases) database.fill();
    await this.#until(({ isCalm }) => isCalm);
    // The engines are read twice a minute.
    await this.pass(seconds(31));
  }

  async #until(isSo: (database: DemoDatabase) => boolean): Promise<void> {
    for (const database of this.databases) {
      const { name } = database;
      if (!(await this.waitFor(() => isSo(database), minutes(30))))
        throw new Error(`${name} did not come up in 30 min`);
    }
  }

  /** Lets time pass. Rejects when the world ends meanwhile. */
  pass(time: Millis): Promise<void> {
    return sleep(this.clock, time, this.signal);
  }

  /** Looks every few seconds, and says whether it came to be in time. */
  async waitFor(condition: () => boolean | Promise<boolean>, within: Millis): Promise<boolean> {
    const began = this.clock.monotonic();
    while (!(await condition())) {
      if (elapsed(this.clock, began) >= within) return false;
      await this.pass(lookEvery);
    }
    return true;
  }

  /** Something is wrong with the demo itself: whoever waits for anything in it hears of it. */
  fail(error: unknown): void {
    this.#end.abort(error);
  }

  /** Ends everything; time must pass meanwhile. Nothing runs afterwards and no timer is left. Harmless twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#end.abort(new DemoEnded());
    await this.drover.die();
    await this.cluster.stop();
  }
}

/** Who asks in the story. */
export const jane = 'jane';

const planOf = (namespace: string) => databasePlans.find(({ name }) => name === namespace);

const storeOf = (key: string) => {
  const played = planOf(key.split('/', 1)[0] ?? '')?.played;
  return played?.model === 'store' ? played.store : {};
};

/** What becomes of a pod becomes of the process in it, in whichever model it is of. */
function hooksOf({ foundationdb, stores }: Models): PodHooks {
  const modelIn = (namespace: string) => (planOf(namespace)?.played.model === 'store' ? stores : foundationdb).hooks;
  return {
    onPodStarted: (process) => modelIn(process.namespace).onPodStarted(process),
    onPodStopped: (process, why) => modelIn(process.namespace).onPodStopped(process, why),
    onDiskLost: (disk, why) => {
      for (const { hooks } of [foundationdb, stores]) hooks.onDiskLost(disk, why);
    },
  };
}

/** The demo was told to end: nothing is wrong. */
export class DemoEnded extends Error {
  override readonly name = 'DemoEnded';

  constructor() {
    super('the demo has ended');
  }
}

/** A seed with which n3 is worth draining, n4 is worth tainting, and the lone server is on neither. */
const wellSpread = 4;
const usualNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const lookEvery = seconds(5);
