import { KubeClient } from '../../kube/client.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import { elapsed, seconds, sleep } from '../../kube/clock.ts';
import { seededRandom } from '../../kube/random.ts';
import { EmbeddedCluster } from '../cluster/cluster.ts';
import type { PodProcess } from '../cluster/kubelet/pod-hooks.ts';
import type { Decided } from './database.ts';
import { DemoDatabase } from './database.ts';
import { databasePlans } from './databases.ts';

export interface DemoWorldOptions {
  readonly clock: Clock;
  /** What chance draws, such as where pods are placed. @default one that spreads them well */
  readonly seed?: number;
  /** Hears of every decision, before anything is done on its account. */
  readonly onDecision?: (database: DemoDatabase, decided: Decided) => void;
}

/** Everything in the demo that is not the person in front of it: nine nodes in three zones, the databases, and Drover beside each of them. */
export class DemoWorld {
  readonly clock: Clock;
  readonly cluster: EmbeddedCluster;
  readonly databases: readonly DemoDatabase[];
  /** How people reach the API server. */
  readonly people: KubeClient;
  readonly #end = new AbortController();
  #operators: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor({ clock, seed = wellSpread, onDecision = () => {} }: DemoWorldOptions) {
    this.clock = clock;
    const random = (stream: number) => seededRandom(seed * 31 + stream);
    // Each has its own numbers, so that one draw more here changes nothing there.
    this.databases = databasePlans.map(
      (plan, index) => new DemoDatabase({ plan, clock, random: random(3 + index), onDecision }),
    );
    this.cluster = new EmbeddedCluster({
      clock,
      random: random(1),
      nodes: 9,
      zones: 3,
      namespaces: [...usualNamespaces, ...this.databases.map(({ name }) => name)],
      hooks: {
        onPodStarted: (process) => this.#hooksOf(process)?.onPodStarted(process),
        onPodStopped: (process, why) => this.#hooksOf(process)?.onPodStopped(process, why),
        onDiskLost: (disk, why) => {
          for (const { parts } of this.databases) parts.hooks.onDiskLost(disk, why);
        },
      },
    });
    this.people = new KubeClient({
      transport: this.cluster.transport('jane'),
      clock,
      random: random(2),
      rateLimit: { perSecond: 1e6, burst: 1e6 },
    });
  }

  /** Aborted when the world ends, by `stop` or by a defect of its own, which is then the reason. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  database(name: string): DemoDatabase {
    const found = this.databases.find((database) => database.name === name);
    if (found === undefined) throw new RangeError(`the demo has no database ${name}`);
    return found;
  }

  /** Resolves when all databases serve and have their data. */
  async start(): Promise<void> {
    await this.cluster.ready();
    this.#operators = Promise.all(this.databases.map((database) => database.operate(this.cluster, this.signal))).catch(
      (error: unknown) => this.fail(error),
    );
    for (const database of this.databases) {
      while (!database.isUp) await this.pass(seconds(1));
      database.parts.fill();
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

  /** Ends everything. Nothing runs afterwards and no timer is left. Harmless twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#end.abort(new DemoEnded());
    await this.#operators;
    await this.cluster.stop();
  }

  #hooksOf({ namespace }: PodProcess) {
    return this.databases.find(({ name }) => name === namespace)?.parts.hooks;
  }
}

/** The demo was told to end: nothing is wrong. */
export class DemoEnded extends Error {
  override readonly name = 'DemoEnded';

  constructor() {
    super('the demo has ended');
  }
}

/** A seed with which the agencies have a member in each zone, and the lone server a node of its own. */
const wellSpread = 839;
const usualNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const lookEvery = seconds(5);
