import { setTimeout as pause } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/client.ts';
import { jsonCodec } from '../../src/kube/codec.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import type { Pod } from '../../src/kube/resources.ts';
import { pods } from '../../src/kube/resources.ts';
import { guardLabel, open } from '../../src/operator/lock/guard-label.ts';
import { lockBudget } from '../../src/operator/lock/lock-budget.ts';
import { configMaps } from '../../src/operator/resources.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';

const call = { signal: new AbortController().signal };
const namespace = 'default';
const seen = jsonCodec<Pod, { readonly ready: boolean }>(({ status }) => ({
  ready: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
}));

const selector = { matchLabels: { app: 'full' } };
const owner = { kind: 'EvictionGuard', namespace, name: 'full', uid: '' } as const;
const budgets = {
  budget: { metadata: { name: 'full' }, spec: { minAvailable: 0, selector } },
  lock: { metadata: { name: 'full' }, spec: lockBudget(owner, { role: 'full', selector }).spec },
};

/** What holds the pods: nothing, one ordinary budget that allows everything, or our lock, which a label has opened for each of them. */
export type Holding = 'nothing' | 'budget' | 'lock';

/** Nodes that are filled with pods which nothing makes again, so that only the drain is measured. */
export class FullNodes {
  readonly #cluster: Cluster;
  readonly #client: KubeClient;
  #owner = '';
  #made = 0;

  constructor(cluster: Cluster, client: KubeClient) {
    this.#cluster = cluster;
    this.#client = client;
  }

  async begin(count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, index) => `n${index + 1}`);
    await this.#cluster.addNodes(names.map((name) => ({ name, zone: 'z1', capacity: { pods: '500' } })));
    const owner = await this.#client.create<KubeObject>(configMaps, { metadata: { namespace, name: 'owner' } }, call);
    this.#owner = owner.metadata.uid ?? '';
  }

  /** The names of the nodes, with so many pods ready on each. */
  async fill(count: number, size: number, holding: Holding): Promise<readonly string[]> {
    const names = Array.from({ length: count }, (_, index) => `n${index + 1}`);
    await this.#cluster.kubectl(['delete', 'nodedrains', '--all']);
    await this.#cluster.kubectl(['delete', 'pdb', '--all']);
    await this.#cluster.kubectl(['uncordon', ...names]);
    for (const node of names) {
      for (let left = size; left > 0; left -= 25) {
        await Promise.all(Array.from({ length: Math.min(25, left) }, () => this.#pod(node, holding)));
      }
    }
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
    if (holding !== 'nothing') await this.#cluster.apply({ ...budget, ...budgets[holding] });
    while (!(await this.#look(names)).every(({ ready }) => ready)) await pause(500);
    // What the controllers make of it comes a little later.
    await pause(3000);
    return names;
  }

  /** Looks at one pod at most: a whole list, many times a second, would take from the drain what it needs of the API server. */
  async areEmpty(names: readonly string[]): Promise<void> {
    for (const node of names) {
      const path = `/api/v1/namespaces/${namespace}/pods?limit=1&fieldSelector=spec.nodeName%3D${node}`;
      while ((await this.#cluster.read(path)).items.length > 0) await pause(50);
    }
  }

  async #look(names: readonly string[]): Promise<readonly { readonly ready: boolean }[]> {
    const lists = names.map((node) =>
      this.#client.list(pods, seen, { namespace, fieldSelector: `spec.nodeName=${node}`, ...call }),
    );
    return (await Promise.all(lists)).flatMap(({ items }) => items);
  }

  async #pod(node: string, holding: Holding): Promise<void> {
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: this.#owner, controller: true },
    ];
    this.#made += 1;
    const labels = { app: 'full', ...(holding === 'lock' && { [guardLabel]: open }) };
    const pod: Pod = {
      metadata: { namespace, name: `p${this.#made}`, labels, ownerReferences },
      spec: { nodeName: node, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'web:1' }] },
    };
    await this.#client.create(pods, pod, call);
  }
}
