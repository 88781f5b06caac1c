import { jsonCodec } from '../../kube/codec.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import { Interner } from '../../kube/interner.ts';
import type { Node as KubeNode } from '../../kube/resources.ts';
import { nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import { cordonedBy } from './marks.ts';

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

/** All nodes, as the watch told. */
export class Nodes {
  readonly #informer: Informer<NodeView>;
  readonly informer: Readable;

  constructor({ informer }: Pick<ControllerContext, 'informer'>) {
    const interner = new Interner();
    this.#informer = informer<NodeView, never>({
      resource: nodes,
      codec: jsonCodec<KubeNode, NodeView>((node) => nodeView(node, interner)),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
    });
    this.informer = this.#informer;
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
