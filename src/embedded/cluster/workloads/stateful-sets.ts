import type { KubeClient } from '../../../kube/client.ts';
import { done, type Next } from '../../../kube/controller.ts';
import { type KeyText, type KubeObject, parseKey } from '../../../kube/object.ts';
import { pods } from '../../../kube/resources.ts';
import { clone, equal, isObject, type JsonObject, listAt, objectAt, textAt } from '../../api-server/json.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import { unlessGone, unlessThere } from '../overtaken.ts';
import { podsOf, podView } from '../pod-view.ts';
import { changedKey, type Part, Reconciler } from '../reconciler.ts';
import { claims, statefulSets, storedAs } from '../resources.ts';
import { textsAt } from '../texts.ts';
import { podFromTemplate } from './pod-template.ts';
import { planStatefulSet, revisionLabel, revisionOf, statusOfSet } from './stateful-set-plan.ts';

/**
 * Keeps the pods of stateful sets, each under its own name with its own claims. Simplified: a pod is always made from the newest template, since
 * old ones are not kept; claims outlive the set; `minReadySeconds` counts as zero; pods that fit but have no owner are not adopted.
 */
export class StatefulSets implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, controllerUser('statefulset-controller'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.statefulSets, (change) => this.#reconciler.add(changedKey(change)));
    this.#reconciler.listen(storedAs.pods, ({ stored }) => {
      const { controller, namespace } = podView(stored.object);
      if (controller?.kind === 'StatefulSet') this.#reconciler.add(`${namespace}/${controller.name}`);
    });
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  async #reconcile(key: KeyText): Promise<Next> {
    const { namespace = '', name } = parseKey(key);
    const set = this.#context.world.store.collection(storedAs.statefulSets).get(namespace, name)?.object;
    if (set === undefined) return done;
    const uid = textAt(set, 'metadata', 'uid');
    const mine = [...podsOf(this.#context.world, namespace)].filter((pod) => pod.controller?.uid === uid);
    if (textAt(set, 'metadata', 'deletionTimestamp') === '') {
      for (const action of planStatefulSet(set, mine)) {
        if (action.kind === 'create') await this.#create(set, action.name, action.ordinal);
        else {
          const options = { signal: this.#context.signal, preconditions: { uid: action.pod.uid } };
          await unlessGone(this.#client.delete(pods, action.pod, options));
        }
      }
    }
    await this.#writeStatus(set, uid);
    return done;
  }

  async #create(set: JsonObject, name: string, ordinal: number): Promise<void> {
    const { signal, world } = this.#context;
    const maker = { apiVersion: 'apps/v1', kind: 'StatefulSet', object: set };
    const { metadata, spec } = podFromTemplate(maker);
    const templates = listAt(set, 'spec', 'volumeClaimTemplates').filter(isObject);
    const claimOf = (template: JsonObject) => `${textAt(template, 'metadata', 'name')}-${name}`;
    for (const template of templates) {
      if (world.store.collection(storedAs.claims).get(metadata.namespace, claimOf(template)) !== undefined) continue;
      await unlessThere(this.#client.create(claims, claimFor(set, template, claimOf(template)), { signal }));
    }
    const own = templates.map((template) => ({
      name: textAt(template, 'metadata', 'name'),
      persistentVolumeClaim: { claimName: claimOf(template) },
    }));
    const others = listAt(spec, 'volumes').filter(
      (volume) => !own.some((each) => each.name === textAt(volume, 'name')),
    );
    const labels = {
      ...metadata.labels,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
      [revisionLabel]: revisionOf(set),
    };
    const pod = {
      metadata: { ...metadata, name, generateName: `${textAt(set, 'metadata', 'name')}-`, labels },
      spec: {
        ...spec,
        containers: listOf(spec),
        hostname: name,
        subdomain: textAt(set, 'spec', 'serviceName'),
        volumes: [...others.filter(isObject).map((volume) => ({ ...volume, name: textAt(volume, 'name') })), ...own],
      },
    };
    await unlessThere(this.#client.create<KubeObject>(pods, pod, { signal }));
  }

  async #writeStatus(set: JsonObject, uid: string): Promise<void> {
    const { world, signal } = this.#context;
    const namespace = textAt(set, 'metadata', 'namespace');
    const name = textAt(set, 'metadata', 'name');
    const current = world.store.collection(storedAs.statefulSets).get(namespace, name)?.object;
    if (current === undefined || textAt(current, 'metadata', 'uid') !== uid) return;
    const mine = [...podsOf(world, namespace)].filter((pod) => pod.controller?.uid === uid);
    const status = statusOfSet(current, mine);
    if (equal(status, objectAt(current, 'status'))) return;
    const resourceVersion = textAt(current, 'metadata', 'resourceVersion');
    const metadata = { ...objectAt(current, 'metadata'), namespace, name, resourceVersion };
    const next = { spec: current['spec'], metadata, status };
    await unlessGone(this.#client.update(statefulSets, next, { signal, subresource: 'status' }));
  }
}

function listOf(spec: JsonObject): { readonly name: string }[] {
  return listAt(spec, 'containers')
    .filter(isObject)
    .map((container) => ({ ...container, name: textAt(container, 'name') }));
}

function claimFor(set: JsonObject, template: JsonObject, name: string): KubeObject {
  const labels = { ...textsAt(set, 'spec', 'selector', 'matchLabels'), ...textsAt(template, 'metadata', 'labels') };
  const metadata = {
    namespace: textAt(set, 'metadata', 'namespace'),
    name,
    labels,
    annotations: textsAt(template, 'metadata', 'annotations'),
  };
  const claim: KubeObject & { readonly spec: object } = { metadata, spec: clone(objectAt(template, 'spec')) };
  return claim;
}
