import { jsonCodec } from '../../kube/codec.ts';
import { isForbidden } from '../../kube/errors.ts';
import type { Informer } from '../../kube/informer.ts';
import { Interner } from '../../kube/interner.ts';
import type { Node as KubeNode } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import { explainTrouble } from '../explain-trouble.ts';
import { cordonedBy } from './marks.ts';
import { lacksRights } from './no-rights.ts';

/** What is kept of a node. */
export interface NodeView {
  readonly key: string;
  readonly version: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cordoned: boolean;
  /** The NodeDrain that cordoned it; undefined: none did. */
  readonly cordonedBy: string | undefined;
}

/**
 * All nodes, as the watch told, read from the moment on that a drain needs them: whoever drains nothing need not let Drover read nodes. That begins on
 * the leader, so that what is seen was read since it leads. They are read until `stop`.
 */
export class Nodes {
  readonly #informer: Informer<NodeView>;
  readonly #end = new AbortController();
  #reading = false;

  constructor({ informer }: Pick<ControllerContext, 'informer'>) {
    const interner = new Interner();
    this.#informer = informer<NodeView, never>({
      resource: nodes,
      codec: jsonCodec<KubeNode, NodeView>((node) => nodeView(node, interner)),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
    });
  }

  /** Resolves when the nodes are known, or known to be unreadable. */
  look(signal: AbortSignal): Promise<void> {
    if (!this.#reading) {
      this.#reading = true;
      void this.#informer.run(this.#end.signal);
    }
    return this.#informer.tried(signal);
  }

  /** After a look: why the nodes are not known, or may be read no longer, and what to do; undefined: they are known, if perhaps a moment late. */
  get unreadable(): string | undefined {
    const { trouble, cache } = this.#informer;
    if (isForbidden(trouble)) return lacksRights(trouble);
    return cache.hasSynced ? undefined : `nodes cannot be read: ${explainTrouble('nodes', trouble)}; it is tried again`;
  }

  stop(): void {
    this.#end.abort();
  }

  get(name: string): NodeView | undefined {
    return this.#informer.cache.get(name);
  }

  all(): Iterable<NodeView> {
    return this.#informer.cache.values();
  }

  /** Tells which node came, went, or was cordoned or uncordoned. */
  subscribe(hear: (node: string) => void): () => void {
    const tell = ({ key }: NodeView) => hear(key);
    return this.#informer.cache.subscribe({
      added: tell,
      updated: (now, before) => {
        if (now.cordoned !== before.cordoned || now.cordonedBy !== before.cordonedBy || now.uid !== before.uid)
          tell(now);
      },
      deleted: tell,
    });
  }
}

function nodeView({ metadata, spec = {} }: KubeNode, interner: Interner): NodeView {
  const labels = Object.entries(metadata.labels ?? {});
  return {
    key: metadata.name,
    version: metadata.resourceVersion ?? '',
    uid: metadata.uid ?? '',
    labels: Object.fromEntries(labels.map(([key, value]) => [interner.string(key), interner.string(value)])),
    cordoned: spec.unschedulable === true,
    cordonedBy: metadata.annotations?.[cordonedBy],
  };
}
