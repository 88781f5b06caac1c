import { KubeClient } from '../../../kube/client.ts';
import type { Millis } from '../../../kube/clock.ts';
import { millis } from '../../../kube/clock.ts';
import type { KubeObject } from '../../../kube/object.ts';
import { seededRandom } from '../../../kube/random.ts';
import { nodes, pods } from '../../../kube/resources.ts';
import { VirtualClock } from '../../../kube/testing/virtual-clock.ts';
import type { JsonObject } from '../../api-server/json.ts';
import { textAt } from '../../api-server/json.ts';
import { EmbeddedCluster } from '../cluster.ts';
import type { EmbeddedClusterOptions } from '../cluster-options.ts';
import type { PodProcess } from '../kubelet/pod-hooks.ts';
import { type NodeView, nodeAt } from '../node-view.ts';
import { type PodView, podAt, podsOf } from '../pod-view.ts';
import { budgets, daemonSets, statefulSets, storedAs } from '../resources.ts';
import { ProcessLedger } from './process-ledger.ts';

/** A cluster on a clock that moves when told, and everything that a story about it needs. */
export class ClusterWorld {
  readonly clock = new VirtualClock();
  readonly cluster: EmbeddedCluster;
  readonly client: KubeClient;
  readonly signal = new AbortController().signal;
  /** What hooks heard, in words. */
  readonly heard: string[] = [];

  constructor(options: Partial<EmbeddedClusterOptions> & { readonly seed?: number } = {}) {
    const random = seededRandom(options.seed ?? 1);
    const ledger = new ProcessLedger();
    const name = ({ namespace, name }: PodProcess) => (namespace === 'default' ? name : `${namespace}/${name}`);
    this.cluster = new EmbeddedCluster({
      nodes: 3,
      zones: 3,
      hooks: {
        onPodStarted: (process) => {
          this.heard.push(`${name(process)} started on ${process.node}`);
          ledger.onPodStarted(process);
        },
        onPodStopped: (process, why) => {
          this.heard.push(`${name(process)} stopped on ${process.node}: ${why}`);
          ledger.onPodStopped(process);
        },
        onDiskLost: (_, why) => this.heard.push(`disk lost: ${why}`),
      },
      ...options,
      clock: this.clock,
      random,
    });
    const transport = this.cluster.transport();
    this.client = new KubeClient({ transport, clock: this.clock, random: seededRandom(99) });
  }

  async start(): Promise<this> {
    await this.cluster.ready();
    await this.pass(5);
    return this;
  }

  pass(secondsToPass: number): Promise<void> {
    const delay: Millis = millis(secondsToPass * 1000);
    return this.clock.pass(delay);
  }

  /** A bare pod of one container; labels and annotations are what stories turn on. */
  createPod(name: string, more: { readonly metadata?: object; readonly spec?: object } = {}): Promise<KubeObject> {
    const pod = {
      metadata: { namespace: 'default', name, ...more.metadata },
      spec: { containers: [{ name: 'main', image: 'db:1' }], ...more.spec },
    };
    return this.client.create<KubeObject>(pods, pod, { signal: this.signal });
  }

  createSet(name: string, replicas: number, more: SetOptions = {}): Promise<KubeObject> {
    const labels = { app: name, ...more.labels };
    const set = {
      metadata: { namespace: 'default', name },
      spec: {
        replicas,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        ...more.set,
        template: {
          metadata: { labels, annotations: { ...more.annotations } },
          spec: { containers: [{ name: 'main', image: 'db:1', ...more.container }], ...more.spec },
        },
        ...(more.disk !== undefined && { volumeClaimTemplates: [claimTemplate(more.disk)] }),
      },
    };
    return this.client.create<KubeObject>(statefulSets, set, { signal: this.signal });
  }

  createDaemonSet(name: string): Promise<KubeObject> {
    const template = {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'agent:1' }] },
    };
    const spec = { selector: { matchLabels: { app: name } }, template };
    const set = { metadata: { namespace: 'default', name }, spec };
    return this.client.create<KubeObject>(daemonSets, set, { signal: this.signal });
  }

  createBudget(name: string, spec: object): Promise<KubeObject> {
    const budget = { metadata: { namespace: 'default', name }, spec };
    return this.client.create<KubeObject>(budgets, budget, { signal: this.signal });
  }

  patchNode(name: string, body: object): Promise<KubeObject> {
    return this.client.patch<KubeObject>(nodes, { name }, { type: 'merge', body }, { signal: this.signal });
  }

  /** What `kubectl taint` does: no time is added. */
  async taint(name: string, key: string, effect: string): Promise<void> {
    const taints = [...this.node(name).taints, { key, effect }];
    await this.patchNode(name, { spec: { taints } });
  }

  patchPod(name: string, body: object): Promise<KubeObject> {
    const key = { namespace: 'default', name };
    return this.client.patch<KubeObject>(pods, key, { type: 'merge', body }, { signal: this.signal });
  }

  deletePod(name: string, gracePeriodSeconds?: number): Promise<void> {
    const options = { signal: this.signal, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) };
    return this.client.delete(pods, { namespace: 'default', name }, options);
  }

  pod(name: string): PodView {
    const found = podAt(this.cluster.world, 'default', name);
    if (found === undefined) throw new Error(`there is no pod ${name}`);
    return found;
  }

  hasPod(name: string): boolean {
    return podAt(this.cluster.world, 'default', name) !== undefined;
  }

  pods(): PodView[] {
    return [...podsOf(this.cluster.world)];
  }

  node(name: string): NodeView {
    const found = nodeAt(this.cluster.world, name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  }

  /** `key:effect` of each, in order. */
  taints(name: string): string[] {
    return this.node(name).taints.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
  }

  budget(name: string): JsonObject {
    const found = this.cluster.world.store.collection(storedAs.budgets).get('default', name);
    if (found === undefined) throw new Error(`there is no budget ${name}`);
    return found.object;
  }

  /** The names of pods with their nodes: `db-0@n1`. */
  placement(): string[] {
    return this.pods().map((pod) => `${pod.name}@${pod.nodeName}`);
  }

  volumeOf(claim: string): string {
    const found = this.cluster.world.store.collection(storedAs.claims).get('default', claim);
    return found === undefined ? '' : textAt(found.object, 'spec', 'volumeName');
  }
}

interface SetOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly container?: object;
  readonly spec?: object;
  readonly set?: object;
  /** The class of the disk that each pod gets. */
  readonly disk?: 'local' | 'network';
}

function claimTemplate(storageClassName: string): object {
  return {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '10Gi' } } },
  };
}
