import type { Millis } from '../../kube/clock.ts';
import { millis, seconds } from '../../kube/clock.ts';
import type { Next } from '../../kube/controller.ts';
import type { KeyText } from '../../kube/object.ts';
import { KeyBackoff } from '../../kube/rate-limiter.ts';
import { WorkQueue } from '../../kube/work-queue.ts';
import type { Change } from '../api-server/store.ts';
import type { ClusterContext } from './context.ts';
import { draw } from './context.ts';

/** Something of the cluster that runs until it is stopped. */
export interface Part {
  /** Resolves when nothing of it runs any more. The context's signal must be aborted before. */
  stop(): Promise<void>;
}

/**
 * One control loop over the store: changes become keys, keys are reconciled one at a time. A key that fails is tried again after 5 ms, then
 * after twice as long each time up to 30 s. Nothing is polled: without changes and deadlines it has no timer.
 */
export class Reconciler implements Part {
  readonly #context: ClusterContext;
  readonly #reconcile: (key: KeyText) => Promise<Next>;
  readonly #queue: WorkQueue;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #running: Promise<void>;

  constructor(context: ClusterContext, reconcile: (key: KeyText) => Promise<Next>) {
    this.#context = context;
    this.#reconcile = reconcile;
    const rateLimiter = new KeyBackoff<KeyText>({ first: millis(5), most: seconds(30) });
    this.#queue = new WorkQueue({ clock: context.clock, rateLimiter });
    this.#running = this.#work();
  }

  /** The key wants attention, once the change was noticed. */
  add(key: KeyText): void {
    this.#queue.addAfter(key, draw(this.#context.random, this.#context.lag));
  }

  /** The key wants attention after a delay. */
  addAfter(key: KeyText, delay: Millis): void {
    this.#queue.addAfter(key, delay);
  }

  /** Hears of every change of a collection, and of everything that is in it now as if it had just been added. */
  listen(collection: string, hear: (change: Change) => void): void {
    const objects = this.#context.world.store.collection(collection);
    for (const stored of objects.entries()) hear(addition(stored));
    this.#unsubscribe.push(objects.listen(hear));
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    void this.#queue.shutDown('drop');
    await this.#running;
  }

  /**
   * Not `runWorkers`: that one gives real timers room after each key, which costs a turn of the virtual clock, and cannot end before the clock
   * moves. Here whatever waits carries the context's signal.
   */
  async #work(): Promise<void> {
    const { signal } = this.#context;
    for (let key = await this.#queue.get(signal); key !== undefined; key = await this.#queue.get(signal)) {
      await this.#attempt(key);
      this.#queue.done(key);
    }
  }

  async #attempt(key: KeyText): Promise<void> {
    try {
      const next = await this.#reconcile(key);
      if (next.kind === 'after') this.#queue.addAfter(key, next.delay);
      this.#queue.forget(key);
    } catch {
      // Whatever it was, the store tells the next try what is so.
      if (!this.#context.signal.aborted) this.#queue.addRateLimited(key);
    }
  }
}

function addition(stored: Change['stored']): Change {
  const metadata = stored.object['metadata'];
  const text = (name: string) => {
    const value = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata[name] : '';
    return typeof value === 'string' ? value : '';
  };
  return { type: 'ADDED', stored, previous: undefined, namespace: text('namespace'), name: text('name') };
}

/** The key of what changed. */
export const changedKey = ({ namespace, name }: Change): KeyText => (namespace === '' ? name : `${namespace}/${name}`);
