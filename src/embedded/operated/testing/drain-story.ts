import { onTestFinished } from 'vitest';
import { nodeDrain } from '../../../api/kinds.ts';
import type { NodeDrainSpecInput, NodeDrainStatus } from '../../../api/v1alpha1/node-drain.schema.ts';
import { jsonCodec } from '../../../kube/codec.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/object.ts';
import type { Resource } from '../../../kube/resource.ts';
import type { EventsV1Event, Node } from '../../../kube/resources.ts';
import { events, nodes, pods } from '../../../kube/resources.ts';
import { nodeDrains } from '../../../operator/lock/begun-drains.ts';
import { attachments } from '../../../operator/node-drain/resources.ts';
import { configMaps } from '../../../operator/resources.ts';
import { budgets, daemonSets, statefulSets } from '../../cluster/resources.ts';
import type { OperatedWorldOptions } from '../operated-world.ts';
import { OperatedWorld } from '../operated-world.ts';

const call = { signal: new AbortController().signal };
const namespace = 'default';

interface PodOptions {
  readonly metadata?: object;
  readonly spec?: object;
}

/** An object that nobody reads but the API server. */
interface Made extends KubeObject {
  readonly spec?: object;
}

/** A small cluster with the operator running, and what people do to drain it. */
export class DrainStory {
  readonly world: OperatedWorld;

  constructor(world: OperatedWorld) {
    this.world = world;
  }

  pass(seconds: number): Promise<void> {
    return this.world.pass(seconds);
  }

  /** Makes an object; nobody reads what is in it but the API server. */
  make(resource: Resource<KubeObject>, object: Made): Promise<KubeObject> {
    return this.world.people.create(resource, object, call);
  }

  async drain(name: string, spec: NodeDrainSpecInput): Promise<void> {
    await this.make(nodeDrains, { metadata: { name }, spec });
  }

  cancel(name: string): Promise<void> {
    return this.world.people.delete(nodeDrains, { name }, call);
  }

  /** undefined: it is gone. */
  async status(name: string): Promise<NodeDrainStatus | undefined> {
    try {
      const read: KubeObject & { readonly status?: unknown } = await this.world.people.get(nodeDrains, { name }, call);
      return nodeDrain.status.parse(read.status ?? {});
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** `n1 Draining 2`, then what waits: `  default/web-1 BudgetHolds`. */
  async says(name: string): Promise<readonly string[]> {
    const status = await this.status(name);
    if (status === undefined) return ['gone'];
    return [
      status.phase,
      ...status.nodes.flatMap(({ name: node, phase, podsLeft, reasons, waiting }) => [
        [node, phase, podsLeft, ...reasons.map(({ code }) => code)].join(' '),
        ...waiting.map(({ pod, reasons: why }) => `  ${pod} ${why.map(({ code }) => code).join(' ')}`),
      ]),
    ];
  }

  async reason(name: string, type: string): Promise<string | undefined> {
    return (await this.status(name))?.conditions.find((one) => one.type === type)?.reason;
  }

  async blocked(name: string): Promise<NodeDrainStatus['conditions'][number] | undefined> {
    return (await this.status(name))?.conditions.find(({ type }) => type === 'Blocked');
  }

  /** A StatefulSet whose pods all begin on one node, as it was before somebody cordoned it. */
  async set(
    name: string,
    replicas: number,
    template: { readonly spec?: object; readonly labels?: object } = {},
  ): Promise<void> {
    const labels = { app: name, ...template.labels };
    await this.make(statefulSets, {
      metadata: { namespace, name },
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'main', image: 'web:1' }], terminationGracePeriodSeconds: 1, ...template.spec },
        },
      },
    });
  }

  async daemonSet(name: string): Promise<void> {
    const template = {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'agent:1' }] },
    };
    await this.make(daemonSets, {
      metadata: { namespace, name },
      spec: { selector: { matchLabels: { app: name } }, template },
    });
  }

  /** A pod that a controller made, whichever: one that does nothing about it when it goes. */
  async owned(name: string, node: string, more: PodOptions = {}): Promise<void> {
    const { metadata } = await this.world.people.get(configMaps, { namespace, name: 'owner' }, call);
    const { uid = '' } = metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }];
    await this.pod(name, node, { ...more, metadata: { ownerReferences, ...more.metadata } });
  }

  /** A pod of nobody on a node. */
  async pod(name: string, node: string, more: PodOptions = {}): Promise<void> {
    await this.make(pods, {
      metadata: { namespace, name, ...more.metadata },
      spec: {
        nodeName: node,
        containers: [{ name: 'main', image: 'web:1' }],
        terminationGracePeriodSeconds: 1,
        ...more.spec,
      },
    });
  }

  async budget(name: string, spec: object): Promise<void> {
    await this.make(budgets, { metadata: { namespace, name }, spec });
  }

  async attach(name: string, node: string, volume: string): Promise<void> {
    const spec = { attacher: 'disk', nodeName: node, source: { persistentVolumeName: volume } };
    await this.make(attachments, { metadata: { name }, spec });
  }

  detach(name: string): Promise<void> {
    return this.world.people.delete(attachments, { name }, call);
  }

  change(resource: Resource<KubeObject>, name: string, body: object): Promise<KubeObject> {
    const key = resource.namespaced ? { namespace, name } : { name };
    return this.world.people.patch(resource, key, { type: 'merge', body }, call);
  }

  node(name: string): Promise<Node> {
    return this.world.people.get(nodes, { name }, call);
  }

  async isCordoned(name: string): Promise<boolean> {
    return (await this.node(name)).spec?.unschedulable === true;
  }

  podsOn(node: string): readonly string[] {
    return this.world
      .pods(namespace)
      .filter(({ nodeName }) => nodeName === node)
      .map(({ name }) => name)
      .sort();
  }

  async events(): Promise<readonly string[]> {
    const codec = jsonCodec<EventsV1Event, EventsV1Event>((event) => event);
    const { items } = await this.world.people.list(events, codec, call);
    return items.filter(({ regarding }) => regarding?.kind === 'NodeDrain').map(({ reason = '' }) => reason);
  }

  async until(name: string, phase: string, within: number): Promise<boolean> {
    return this.world.until(async () => ((await this.status(name))?.phase ?? 'gone') === phase, within);
  }
}

/** A world of a few nodes with the operator at work. */
export async function drainStory(options: OperatedWorldOptions = {}): Promise<DrainStory> {
  const world = new OperatedWorld({ nodes: 3, ...options });
  onTestFinished(() => world.end());
  await world.begin();
  const story = new DrainStory(world);
  await story.make(configMaps, { metadata: { namespace, name: 'owner' } });
  await world.pass(5);
  return story;
}
