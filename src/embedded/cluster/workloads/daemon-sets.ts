import type { KubeClient } from '../../../kube/client.ts';
import { done, type Next } from '../../../kube/controller.ts';
import { type KeyText, type KubeObject, parseKey } from '../../../kube/object.ts';
import { pods, type Toleration } from '../../../kube/resources.ts';
import { equal, isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../api-server/json.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import { type NodeView, nodesOf } from '../node-view.ts';
import { unlessGone } from '../overtaken.ts';
import { hasEnded, isDeleting, isReady, type PodView, podsOf, podView, tolerationOf } from '../pod-view.ts';
import { changedKey, type Part, Reconciler } from '../reconciler.ts';
import { daemonSets, storedAs } from '../resources.ts';
import { isSelected } from '../scheduler/filters.ts';
import { nodeMatters } from '../scheduler/relevant-change.ts';
import { untolerated } from '../tolerations.ts';
import { podFromTemplate } from './pod-template.ts';

/** What every daemon pod tolerates, after `AddOrUpdateDaemonPodTolerations`. */
const daemonTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/** Keeps one pod of each daemon set on every node that it may run on. Not played: updates; a pod gets a new template when it is deleted. */
export class DaemonSets implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, controllerUser('daemon-set-controller'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.daemonSets, (change) => this.#reconciler.add(changedKey(change)));
    this.#reconciler.listen(storedAs.nodes, (change) => {
      if (!nodeMatters(change)) return;
      for (const { object } of context.world.store.collection(storedAs.daemonSets).entries()) {
        this.#reconciler.add(`${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`);
      }
    });
    this.#reconciler.listen(storedAs.pods, ({ stored }) => {
      const { controller, namespace } = podView(stored.object);
      if (controller?.kind === 'DaemonSet') this.#reconciler.add(`${namespace}/${controller.name}`);
    });
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  async #reconcile(key: KeyText): Promise<Next> {
    const { world } = this.#context;
    const { namespace = '', name } = parseKey(key);
    const set = world.store.collection(storedAs.daemonSets).get(namespace, name)?.object;
    if (set === undefined || textAt(set, 'metadata', 'deletionTimestamp') !== '') return done;
    const uid = textAt(set, 'metadata', 'uid');
    const mine = [...podsOf(world, namespace)].filter((pod) => pod.controller?.uid === uid);
    const wanted = nodesOf(world).filter((node) => mayRunOn(set, node));
    for (const node of wanted) {
      if (!mine.some((pod) => homeOf(pod) === node.name)) await this.#create(set, node.name);
    }
    const isMisplaced = (pod: PodView) => !wanted.some((node) => node.name === homeOf(pod)) || hasEnded(pod);
    for (const pod of mine.filter((each) => isMisplaced(each) && !isDeleting(each))) {
      const options = { signal: this.#context.signal, preconditions: { uid: pod.uid } };
      await unlessGone(this.#client.delete(pods, pod, options));
    }
    await this.#writeStatus(set, wanted, mine);
    return done;
  }

  async #create(set: JsonObject, node: string): Promise<void> {
    const { metadata, spec } = podFromTemplate({ apiVersion: 'apps/v1', kind: 'DaemonSet', object: set });
    const here = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [here] } };
    const pod: KubeObject & { readonly spec: object } = {
      metadata: { ...metadata, name: '', generateName: `${textAt(set, 'metadata', 'name')}-` },
      spec: {
        ...spec,
        affinity: { ...objectAt(spec, 'affinity'), nodeAffinity },
        tolerations: [...listAt(spec, 'tolerations'), ...daemonTolerations],
      },
    };
    const created: KubeObject = pod;
    await this.#client.create<KubeObject>(pods, created, { signal: this.#context.signal });
  }

  async #writeStatus(set: JsonObject, wanted: readonly NodeView[], mine: readonly PodView[]): Promise<void> {
    const names = new Set(wanted.map((node) => node.name));
    const placed = mine.filter((pod) => names.has(homeOf(pod)));
    const ready = placed.filter(isReady).length;
    const status = {
      currentNumberScheduled: placed.length,
      numberMisscheduled: mine.length - placed.length,
      desiredNumberScheduled: wanted.length,
      numberReady: ready,
      observedGeneration: numberAt(set, 'metadata', 'generation') ?? 0,
      updatedNumberScheduled: placed.length,
      numberAvailable: ready,
      numberUnavailable: wanted.length - ready,
    };
    const shown = objectAt(set, 'status');
    if (Object.entries(status).every(([name, value]) => equal(value, shown[name] ?? 0))) return;
    const key = { namespace: textAt(set, 'metadata', 'namespace'), name: textAt(set, 'metadata', 'name') };
    const options = { signal: this.#context.signal, subresource: 'status' };
    await unlessGone(this.#client.patch(daemonSets, key, { type: 'merge', body: { status } }, options));
  }
}

/** The node that a daemon pod is for, also before it is scheduled. */
function homeOf({ object, nodeName }: PodView): string {
  if (nodeName !== '') return nodeName;
  const required = ['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
  const [term] = listAt(object, ...required, 'nodeSelectorTerms');
  const [field] = listAt(term, 'matchFields');
  const [node] = listAt(field, 'values');
  return typeof node === 'string' ? node : '';
}

function mayRunOn(set: JsonObject, node: NodeView): boolean {
  const template = objectAt(set, 'spec', 'template');
  const tolerations = [
    ...listAt(template, 'spec', 'tolerations').filter(isObject).map(tolerationOf),
    ...daemonTolerations,
  ];
  const pod = podView({ ...template, metadata: objectAt(template, 'metadata') });
  return isSelected(pod, node) && untolerated(node.taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined;
}
