import { KubeClient } from '../../kube/client.ts';
import { seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Ask } from '../../model/snapshot.ts';
import { names } from '../../operator/names.ts';
import { EmbeddedCluster } from '../cluster/cluster.ts';
import { callingWebhook } from '../operated/embedded-webhook.ts';
import { coreDeployment } from './core-subject.ts';
import { foundationdbDeployment } from './foundationdb-subject.ts';
import { Judge } from './judge.ts';
import { SimulatedOperator } from './operator.ts';
import type { RunPlan } from './scenarios.ts';
import { storeDeployment } from './store-subject.ts';
import type { Deployment, Subject } from './subject.ts';
import { namespace } from './subject.ts';

/** All that a run plays in: a cluster, a database on it, the operator beside it, and the judge over them. */
export class SimulatedWorld {
  readonly clock = new VirtualClock();
  readonly cluster: EmbeddedCluster;
  readonly subject: Subject;
  readonly operator: SimulatedOperator;
  readonly judge: Judge;
  /** How people reach the API server: without faults, so that what happens is what was drawn. */
  readonly people: KubeClient;
  /** Which pods somebody wants gone, by their uids, where there is no API server to be asked about it. */
  readonly asks = new Map<string, Ask>();
  /** False: the API server does not reach the webhook, whether the operator lives or not. */
  webhookIsReachable = true;
  readonly signal = new AbortController().signal;

  constructor({ seed, nodes, subject: plan }: RunPlan) {
    const { clock, signal } = this;
    // Each has its own numbers, so that one draw more here changes nothing there.
    const random = (stream: number) => seededRandom(seed * 31 + stream);
    const { hooks, deploy, living } = deploymentOf(plan, clock, random(1));
    this.cluster = new EmbeddedCluster({
      clock,
      random: random(2),
      nodes,
      zones: 3,
      namespaces: ['default', 'kube-system', 'kube-public', 'kube-node-lease', names.namespace, namespace],
      ...(living !== undefined && {
        callWebhook: callingWebhook(clock, {
          living: () => (this.webhookIsReachable ? living() : undefined),
          onAnswer: (answered) => this.judge.answered(answered),
        }),
      }),
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
    const { cluster, people } = this;
    this.subject = deploy({ clock, cluster, people, signal });
    this.judge = new Judge({ clock, cluster, subject: this.subject, clockIsMoved });
    this.operator = new SimulatedOperator({
      transport: this.cluster.transport('system:serviceaccount:drover:drover'),
      clock,
      random: random(4),
      subject: this.subject,
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
    await this.subject.prepare();
    // Until every node has reported: first pods that find only one node ready stay there all together.
    await this.pass(10);
    this.operator.start();
    await this.pass(300);
    this.subject.fill();
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

function deploymentOf(plan: RunPlan['subject'], clock: VirtualClock, random: Random): Deployment {
  switch (plan.engine) {
    case 'core':
      return coreDeployment(plan, clock, random);
    case 'foundationdb':
      return foundationdbDeployment(plan, clock, random);
    case 'http':
      return storeDeployment(plan, clock, random);
  }
}
