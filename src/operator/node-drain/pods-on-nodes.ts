import { isDeepStrictEqual } from 'node:util';
import type { Millis } from '../../kube/clock.ts';
import { sleep } from '../../kube/clock.ts';
import { Informer } from '../../kube/informer.ts';
import { pods } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import { explainTrouble } from '../explain-trouble.ts';
import type { PodView } from './pod-view.ts';
import { podCodec } from './pod-view.ts';

interface Reading {
  readonly informer: Informer<PodView>;
  readonly end: AbortController;
}

/**
 * The pods of the nodes that are being drained, and of no other: a cluster has a thousand times more pods than a drain looks at. Each node is read
 * by a watch of its own, from the moment on that somebody wants it until nobody does.
 */
export class PodsOnNodes {
  readonly #context: Pick<ControllerContext, 'client' | 'clock' | 'random' | 'logger'>;
  readonly #hear: (node: string) => void;
  readonly #nodes = new Map<string, Reading>();
  /** What each drain wants to read. */
  readonly #wanted = new Map<string, ReadonlySet<string>>();

  /** `hear` is told of every change that could matter to a drain of that node. */
  constructor(
    context: Pick<ControllerContext, 'client' | 'clock' | 'random' | 'logger'>,
    hear: (node: string) => void,
  ) {
    this.#context = context;
    this.#hear = hear;
  }

  /** Resolves when all that is wanted was read, or after `most`: a node that cannot be read is said to be unread, not waited for. */
  async settled(nodes: Iterable<string>, most: Millis, signal: AbortSignal): Promise<void> {
    const unread = [...nodes]
      .map((node) => this.#nodes.get(node)?.informer)
      .filter((informer) => informer !== undefined && !informer.cache.hasSynced);
    if (unread.length === 0) return;
    const limit = new AbortController();
    const either = AbortSignal.any([signal, limit.signal]);
    const all = Promise.all(unread.flatMap((informer) => informer?.synced(either) ?? []));
    try {
      await Promise.race([all, sleep(this.#context.clock, most, either)]);
    } finally {
      all.catch(() => {});
      limit.abort();
    }
  }

  /** From now on these nodes are read for the drain, and no others. */
  want(drain: string, nodes: Iterable<string>): void {
    const wanted = new Set(nodes);
    if (wanted.size === 0) this.#wanted.delete(drain);
    else this.#wanted.set(drain, wanted);
    for (const node of wanted) if (!this.#nodes.has(node)) this.#read(node);
    const all = new Set([...this.#wanted.values()].flatMap((some) => [...some]));
    for (const [node, { end }] of this.#nodes) {
      if (all.has(node)) continue;
      end.abort();
      this.#nodes.delete(node);
    }
  }

  /** The pods of a node; null: they have not been read yet. */
  of(node: string): readonly PodView[] | null {
    const reading = this.#nodes.get(node);
    return reading?.informer.cache.hasSynced === true ? [...reading.informer.cache.values()] : null;
  }

  /** Reads them anew from the API server: a view may be behind, and "there is nothing left" must not be. */
  async fresh(node: string, signal: AbortSignal): Promise<readonly PodView[]> {
    const { items } = await this.#context.client.list(pods, podCodec, { fieldSelector: selector(node), signal });
    return items;
  }

  stop(): void {
    for (const drain of this.#wanted.keys()) this.want(drain, []);
  }

  #read(node: string): void {
    const { client, clock, random, logger } = this.#context;
    const end = new AbortController();
    const informer = new Informer<PodView>({
      client,
      clock,
      random,
      resource: pods,
      codec: podCodec,
      fieldSelector: selector(node),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
      onHandlerError: (error) => logger.error('a handler failed', { error }),
      onHealth: (trouble) => {
        if (trouble !== undefined) logger.warn('cannot read pods', { node, why: explainTrouble('pods', trouble) });
        else this.#hear(node);
      },
    });
    const hear = () => this.#hear(node);
    informer.cache.subscribe({
      added: hear,
      updated: (now, before) => {
        if (!isDeepStrictEqual(withoutVersion(now), withoutVersion(before))) hear();
      },
      deleted: hear,
    });
    this.#nodes.set(node, { informer, end });
    void informer.run(end.signal);
  }
}

const selector = (node: string): string => `spec.nodeName=${node}`;

/** Kubelets write to their pods all the time; what they write is mostly no news here. */
const withoutVersion = ({ pod, labels }: PodView) => ({ labels, pod: { ...pod, resourceVersion: '' } });
