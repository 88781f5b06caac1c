import { clone, equal, objectAt, textAt } from './json.ts';
import { Later } from './later.ts';
import { formatQuantity } from './quantity.ts';
import { namespaceUsage } from './quota.ts';
import type { World } from './world.ts';

/** Keeps the status of quotas, as the quota controller does: what is allowed, and what is used. */
export class QuotaStatus {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #later: Later;
  readonly #due = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#later = new Later(world.clock);
    this.#stop = world.store.listen((collection, { namespace, type }) => {
      if (namespace === '' || (collection !== 'resourcequotas' && type === 'MODIFIED' && collection !== 'pods')) return;
      if (this.#due.has(namespace) || !this.#hasQuota(namespace)) return;
      this.#due.add(namespace);
      this.#later.do(() => this.#count(namespace));
    });
  }

  stop(): void {
    this.#stop();
    this.#later.stop();
  }

  #hasQuota(namespace: string): boolean {
    for (const quota of this.#world.store.collection('resourcequotas').entries(namespace)) return quota !== undefined;
    return false;
  }

  #count(namespace: string): void {
    this.#due.delete(namespace);
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
