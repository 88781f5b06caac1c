import { millis } from '../../kube/clock.ts';
import { clone, equal, objectAt, textAt } from './json.ts';
import { formatQuantity } from './quantity.ts';
import { namespaceUsage } from './quota.ts';
import type { World } from './world.ts';

/** Keeps the status of quotas, as the quota controller does: what is allowed, and what is used. */
export class QuotaStatus {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #due = new Set<string>();
  #stopped = false;

  constructor(world: World) {
    this.#world = world;
    this.#stop = world.store.listen((collection, { namespace, type }) => {
      if (namespace === '' || (collection !== 'resourcequotas' && type === 'MODIFIED' && collection !== 'pods')) return;
      if (this.#due.has(namespace) || !this.#hasQuota(namespace)) return;
      this.#due.add(namespace);
      world.clock.after(millis(0), () => this.#count(namespace));
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#stop();
  }

  #hasQuota(namespace: string): boolean {
    for (const quota of this.#world.store.collection('resourcequotas').entries(namespace)) return quota !== undefined;
    return false;
  }

  #count(namespace: string): void {
    this.#due.delete(namespace);
    if (this.#stopped) return;
    const { store } = this.#world;
    for (const stored of Array.from(store.collection('resourcequotas').entries(namespace))) {
      const hard = objectAt(stored.object, 'spec', 'hard');
      const usage = namespaceUsage(this.#world, namespace, Object.keys(hard));
      const used = Object.fromEntries([...usage].map(([name, quantity]) => [name, formatQuantity(quantity)]));
      const status = { hard, used };
      if (equal(status, stored.object['status']) || textAt(stored.object, 'metadata', 'deletionTimestamp') !== '')
        continue;
      store.put('resourcequotas', { ...clone(stored.object), status: clone(status) }, stored);
    }
  }
}
