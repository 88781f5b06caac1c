import { group, version } from '../../api/kind.ts';
import { nodeDrain } from '../../api/kinds.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { ControllerContext } from '../controller.ts';
import type { BegunDrain } from './gather-asks.ts';

/** Where NodeDrains live in the API. */
export const nodeDrains: Resource<KubeObject> = {
  group,
  version,
  kind: nodeDrain.kind,
  plural: nodeDrain.plural,
  namespaced: false,
};

interface DrainView extends BegunDrain {
  readonly version: string;
}

interface DrainObject extends KubeObject {
  readonly status?: { readonly nodes?: readonly { readonly name: string; readonly phase?: string }[] };
}

/** The NodeDrains that are at work, and on which nodes. One that is being deleted is cancelled and asks for nothing. */
export class BegunDrains {
  readonly informer: Informer<DrainView>;

  constructor({ informer }: Pick<ControllerContext, 'informer'>) {
    this.informer = informer<DrainView, never>({
      resource: nodeDrains,
      codec: jsonCodec<DrainObject, DrainView>(viewOf),
      key: ({ name }) => name,
      version: (view) => view.version,
      indexes: {},
    });
  }

  all(): readonly BegunDrain[] {
    return [...this.informer.cache.values()].filter(({ nodes }) => nodes.length > 0);
  }

  /** Tells that other nodes are drained now. Call the result to stop. */
  subscribe(hear: () => void): () => void {
    return this.informer.cache.subscribe({
      added: hear,
      updated: (now, before) => {
        if (now.nodes.join() !== before.nodes.join()) hear();
      },
      deleted: hear,
    });
  }
}

function viewOf({ metadata, status }: DrainObject): DrainView {
  const begun = (status?.nodes ?? []).filter(({ phase }) => phase === 'Draining').map(({ name }) => name);
  return {
    name: metadata.name,
    version: metadata.resourceVersion ?? '',
    nodes: metadata.deletionTimestamp === undefined ? begun : [],
  };
}
