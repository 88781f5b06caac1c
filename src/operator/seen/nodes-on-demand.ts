import { isDeepStrictEqual } from 'node:util';
import { jsonCodec } from '../../kube/codec.ts';
import type { Informer } from '../../kube/informer.ts';
import { Interner } from '../../kube/interner.ts';
import type { Node as KubeNode } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import type { Node } from '../../model/node.ts';
import type { ControllerContext } from '../controller.ts';
import type { NodeView } from './node.ts';
import { nodeView, seenNode } from './node.ts';

/**
 * The nodes, read from the moment on that a cluster asks for them: whoever uses no taint options need not let Drover read nodes. They are read
 * until `stop`.
 */
export class NodesOnDemand {
  readonly #informer: Informer<NodeView>;
  readonly #end = new AbortController();
  readonly #hear: () => void;
  #reading = false;

  /** `hear` is told of every change. */
  constructor({ informer }: Pick<ControllerContext, 'informer'>, hear: () => void) {
    this.#hear = hear;
    const interner = new Interner();
    this.#informer = informer<NodeView, never>({
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
      updated: (node, before) => {
        if (!isDeepStrictEqual({ ...node, version: '' }, { ...before, version: '' })) this.#hear();
      },
      deleted: this.#hear,
    });
    void this.#informer.run(this.#end.signal);
  }
}
