import { KubeClient } from '../../kube/client.ts';
import { seconds } from '../../kube/clock.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Ask } from '../../model/snapshot.ts';
import { EmbeddedCluster } from '../cluster/cluster.ts';
import type { ModelDatabase } from '../stand-in/store-database.ts';
import { storeDatabase } from '../stand-in/store-database.ts';
import { Judge } from './judge.ts';
import { SimulatedOperator } from './operator.ts';
import type { RunPlan } from './scenarios.ts';

/** Where the pods of the simulated database live. */
export const namespace = 'db';

/** All that a run plays in: a cluster, a database on it, the operator beside it, and the judge over them. */
export class SimulatedWorld {
  readonly clock = new VirtualClock();
  readonly cluster: EmbeddedCluster;
  readonly database: ModelDatabase;
  readonly operator: SimulatedOperator;
  readonly judge: Judge;
  /** How people reach the API server: without faults, so that what happens is what was drawn. */
  readonly people: KubeClient;
  /** What people want, until they want something else. */
  spec: ClusterSpec;
  readonly replicationFactor: number;
  readonly asks = new Map<string, Ask>();
  readonly signal = new AbortController().signal;

  constructor({ seed, nodes, spec, replicationFactor, shards, noticeDelay }: RunPlan) {
    const clock = this.clock;
    // Each has its own numbers, so that one draw more here changes nothing there.
    const random = (stream: number) => seededRandom(seed * 31 + stream);
    this.spec = spec;
    this.replicationFactor = replicationFactor;
    const quorumSize = spec.roles.find(({ name }) => name === 'agent')?.count ?? 3;
    this.database = storeDatabase({
      quorumSize,
      clock,
      random: random(1),
      replicationFactor,
      shards,
      noticeDelay,
      jobFailures: 0.05,
    });
    const { hooks, model, engine } = this.database;
    this.cluster = new EmbeddedCluster({
      clock,
      random: random(2),
      nodes,
      zones: 3,
      namespaces: ['default', 'kube-system', 'kube-public', 'kube-node-lease', namespace],
      hooks: {
        ...hooks,
        onPodStarted: (process) => {
          this.judge.starts(process.name);
          hooks.onPodStarted(process);
        },
      },
    });
    this.people = new KubeClient({
      transport: this.cluster.transport(),
      clock,
      random: random(3),
      rateLimit: { perSecond: 1e6, burst: 1e6 },
    });
    let skew = 0;
    const clockIsMoved = () => skew !== 0;
    this.judge = new Judge({ namespace, clock, cluster: this.cluster, model, clockIsMoved });
    this.operator = new SimulatedOperator({
      namespace,
      transport: this.cluster.transport('system:serviceaccount:drover:drover'),
      clock,
      random: random(4),
      engine,
      wishes: () => ({ spec: this.spec, asks: [...this.asks.values()] }),
      witness: this.judge,
    });
    this.moveClock = (by) => {
      skew = by;
      this.operator.skew(by);
    };
  }

  /** The operator's machine is wrong about the time by so many seconds. */
  readonly moveClock: (by: number) => void;

  /** Until the database is up and has its data. */
  async begin(): Promise<void> {
    await this.cluster.ready();
    this.operator.start();
    await this.pass(300);
    this.database.fill();
  }

  /** Lets time pass, and looks every few seconds whether all is well. */
  async pass(time: number): Promise<void> {
    for (let left = time; left > 0 && this.judge.violation === undefined; left -= tick) {
      await this.clock.pass(seconds(Math.min(left, tick)));
      this.judge.look();
    }
  }

  async end(): Promise<void> {
    this.operator.stop();
    await this.cluster.stop();
  }
}

/** How often people and the judge look, in seconds. */
export const tick = 5;
