import { jsonCodec } from '../../kube/codec.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { ControllerContext } from '../controller.ts';
import { guardedNamespaceLabel } from './guard-label.ts';

const namespaces: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

interface NamespaceView {
  readonly name: string;
  readonly version: string;
}

/** Marks the namespaces in which something is guarded, so that the API server asks the webhook there and nowhere else. */
export class GuardedNamespaces {
  readonly #client: ControllerContext['client'];
  /** Only those that are marked. */
  readonly informer: Informer<NamespaceView>;

  constructor({ informer, client }: Pick<ControllerContext, 'informer' | 'client'>) {
    this.#client = client;
    this.informer = informer<NamespaceView, never>({
      resource: namespaces,
      codec: jsonCodec<KubeObject, NamespaceView>(({ metadata }) => ({
        name: metadata.name,
        version: metadata.resourceVersion ?? '',
      })),
      labelSelector: `${guardedNamespaceLabel}=true`,
      key: ({ name }) => name,
      version: ({ version }) => version,
      indexes: {},
    });
  }

  /** Tells which namespace lost its mark. Call the result to stop. */
  subscribe(hear: (namespace: string) => void): () => void {
    return this.informer.cache.subscribe({ deleted: ({ name }) => hear(name) });
  }

  async mark(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.informer.cache.get(namespace) === undefined) await this.#label(namespace, 'true', signal);
  }

  async unmark(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.informer.cache.get(namespace) === undefined) return;
    try {
      await this.#label(namespace, null, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #label(name: string, value: string | null, signal: AbortSignal): Promise<void> {
    const body = { metadata: { labels: { [guardedNamespaceLabel]: value } } };
    await this.#client.patch(namespaces, { name }, { type: 'merge', body }, { signal, fieldManager: 'drover' });
  }
}
