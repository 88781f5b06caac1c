import { isDeepStrictEqual } from 'node:util';
import type { MonotonicMillis } from '../../kube/clock.ts';
import { elapsed } from '../../kube/clock.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { Informer } from '../../kube/informer.ts';
import { Interner } from '../../kube/interner.ts';
import type { Node as KubeNode } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import type { NodeName } from '../../model/ids.ts';
import type { Node } from '../../model/node.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { ControllerContext } from '../controller.ts';
import type { LeavingSeen } from './leaving-node.ts';
import { isToBeLeft } from './leaving-node.ts';
import type { NodeView } from './node.ts';
import { nodeView, seenNode } from './node.ts';

/**
 * The nodes, read from the moment on that a cluster asks for them: whoever uses no taint options need not let Drover read nodes. They are read
 * until `stop`.
 */
export class NodesOnDemand {
  readonly #context: Pick<ControllerContext, 'clock' | 'leavingTaints'>;
  readonly #informer: Informer<NodeView>;
  readonly #end = new AbortController();
  readonly #hear: () => void;
  readonly #ended = new Map<NodeName, MonotonicMillis>();
  #reading = false;

  /** `hear` is told of every change. */
  constructor(context: Pick<ControllerContext, 'informer' | 'clock' | 'leavingTaints'>, hear: () => void) {
    this.#context = context;
    this.#hear = hear;
    const interner = new Interner();
    this.#informer = context.informer<NodeView, never>({
      resource: nodes,
      codec: jsonCodec<KubeNode, NodeView>((node) => nodeView(node, interner)),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
    });
  }

  /** What is known of the nodes; null: they have not been read yet, or may not be. */
  seen(faultDomainKey: string): readonly Node[] | null {
    if (!this.#reading) this.#read();
    if (!this.#informer.cache.hasSynced) return null;
    return [...this.#informer.cache.values()].map((node) => seenNode(node, faultDomainKey));
  }

  /** What was seen of nodes that were to be left: one look may come too late for a cordon that was lifted at once. null: as with `seen`. */
  leaving(): LeavingSeen | null {
    const { listedAt } = this.#informer.cache;
    if (listedAt === undefined) return null;
    const ended = [...this.#ended].map(([node, at]) => [node, this.#when(at)] as const);
    return { since: this.#when(listedAt), ended: new Map(ended) };
  }

  /** Resolves when the nodes are known, or known to be unreadable: before that nobody can say which. */
  look(signal: AbortSignal): Promise<void> {
    if (!this.#reading) this.#read();
    return this.#informer.tried(signal);
  }

  stop(): void {
    this.#end.abort();
  }

  #read(): void {
    this.#reading = true;
    this.#informer.cache.subscribe({
      added: this.#hear,
      // Kubelets write to their nodes all the time; what they write is mostly no news here.
      updated: (view, before) => {
        this.#note(view.node, before.node);
        if (!isDeepStrictEqual({ ...view, version: '' }, { ...before, version: '' })) this.#hear();
      },
      deleted: ({ node }) => {
        this.#ended.delete(node.name);
        this.#hear();
      },
    });
    void this.#informer.run(this.#end.signal);
  }

  #note(node: NodeView['node'], before: NodeView['node']): void {
    const { clock, leavingTaints } = this.#context;
    if (isToBeLeft(before, leavingTaints) && !isToBeLeft(node, leavingTaints))
      this.#ended.set(node.name, clock.monotonic());
  }

  /** By the clock that asks are dated with. */
  #when(at: MonotonicMillis): Instant {
    const { clock } = this.#context;
    return instant(clock.now() - elapsed(clock, at));
  }
}
