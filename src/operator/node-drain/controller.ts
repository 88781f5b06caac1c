import { millis, seconds } from '../../kube/clock.ts';
import type { Next } from '../../kube/controller.ts';
import { after, done } from '../../kube/controller.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { KeyText } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import type { Controller, ControllerContext, ControllerDefinition } from '../controller.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import { Attached } from './attached.ts';
import { Budgets } from './budgets.ts';
import { cancel } from './cancel.ts';
import type { DrainView } from './drain-view.ts';
import { drainViewCodec } from './drain-view.ts';
import { Evictor } from './evictor.ts';
import { Guards } from './guards.ts';
import { isAboutRights, lacksRights, sayRights } from './no-rights.ts';
import { Nodes } from './nodes.ts';
import { PodsOnNodes } from './pods-on-nodes.ts';
import { permissions } from './rbac.ts';
import { Record } from './record.ts';
import { Refusals } from './refusals.ts';
import type { RoundParts } from './round.ts';
import { round } from './round.ts';
import { Teller } from './teller.ts';

/** Drains nodes as NodeDrains ask: cordons them, evicts what nobody guards, and says what the rest waits for. */
export const nodeDrainController: ControllerDefinition = {
  name: 'node-drain',
  permissions,
  workers: 4,
  create: (context) => new NodeDrainController(context),
};

/** Pods go by the dozen, and a look at a drain of hundreds takes from the API server's machine what their going needs. */
const moment = millis(250);
/** Nobody tells when a right is given. */
const untilRights = seconds(30);

class NodeDrainController implements Controller {
  readonly #context: ControllerContext;
  readonly #drains: Informer<DrainView>;
  readonly #parts: RoundParts;
  readonly #teller: Teller;
  readonly informers: readonly Readable[];
  /** Nodes on which something happened a moment ago, all of which are looked at together. */
  readonly #soon = new Set<string>();
  #hear: ((key: KeyText) => void) | undefined;

  constructor(context: ControllerContext) {
    const { informer, client, clock } = context;
    this.#context = context;
    this.#drains = informer<DrainView, never>({
      resource: nodeDrains,
      codec: drainViewCodec,
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
    });
    const nodes = new Nodes(context);
    const guards = new Guards(context);
    const budgets = new Budgets(context);
    const attached = new Attached(context);
    const pods = new PodsOnNodes(context, (node) => this.#hearSoon(node));
    this.#teller = new Teller(context);
    this.#parts = {
      context,
      sight: { clock, nodes, pods, guards, budgets, attached, drains: () => this.#drains.cache.values() },
      evictor: new Evictor({ client, clock, allowedBy: (budget) => budgets.allowedBy(budget) }),
      refusals: new Map(),
      makeRefusals: () => new Refusals(context.random, budgets),
      record: new Record(context, this.#teller),
      teller: this.#teller,
    };
    // Nodes and their pods are read with the first drain that needs them.
    this.informers = [this.#drains, budgets.informer, attached.informer, ...guards.informers];
  }

  watch(add: (key: KeyText) => void): () => void {
    this.#hear = add;
    const { nodes, guards, budgets, attached, pods } = this.#parts.sight;
    const stops = [
      nodes.subscribe((node) => this.#hearNode(node)),
      guards.subscribe(() => this.#hearAll()),
      budgets.subscribe(() => this.#hearAll()),
      attached.subscribe((node) => this.#hearNode(node)),
      this.#drains.cache.subscribe({
        added: ({ key }) => add(key),
        // What Drover wrote into the status itself is no news to the drain, but may be to another that waits for its nodes.
        updated: (now, before) => {
          if (now.generation !== before.generation || now.deleting !== before.deleting) add(now.key);
          if (now.nodes.size !== before.nodes.size || now.completed !== before.completed) this.#hearAll();
        },
        deleted: ({ key }) => {
          add(key);
          this.#hearAll();
        },
      }),
    ];
    return () => {
      this.#hear = undefined;
      for (const stop of stops) stop();
      pods.stop();
      nodes.stop();
    };
  }

  readonly reconcile = async (key: KeyText, signal: AbortSignal): Promise<Next> => {
    try {
      return await this.#look(key, signal);
    } catch (error) {
      if (!isAboutRights(error)) throw error;
      this.#context.logger.warn('a drain stands still', { key, why: lacksRights(error) });
      await sayRights(this.#context, key, error, signal);
      return after(untilRights);
    }
  };

  async #look(key: KeyText, signal: AbortSignal): Promise<Next> {
    const object = await this.#context.client.find(nodeDrains, parseKey(key), { signal });
    if (object === undefined) return this.#leave(key);
    if (object.metadata.deletionTimestamp === undefined) return round(this.#parts, object, signal);
    await cancel({ ...this.#context, tell: (read, status) => this.#teller.tell(read, status) }, object, signal);
    return this.#leave(key);
  }

  #leave(key: KeyText): Next {
    this.#parts.sight.pods.want(key, []);
    this.#parts.refusals.delete(key);
    this.#parts.record.forget(key);
    this.#teller.forget(key);
    return done;
  }

  /** One look serves for all that happens within a moment. */
  #hearSoon(node: string): void {
    const isFirst = this.#soon.size === 0;
    this.#soon.add(node);
    if (!isFirst) return;
    this.#context.clock.after(moment, () => {
      const nodes = [...this.#soon];
      this.#soon.clear();
      for (const one of nodes) this.#hearNode(one);
    });
  }

  #hearNode(node: string): void {
    for (const { key, nodes, begun, completed } of this.#drains.cache.values()) {
      if (!completed && (nodes.has(node) || !begun)) this.#hear?.(key);
    }
  }

  #hearAll(): void {
    for (const { key, completed } of this.#drains.cache.values()) if (!completed) this.#hear?.(key);
  }
}
