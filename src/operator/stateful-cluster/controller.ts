import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { toTimestamp } from '../../kube/clock.ts';
import type { Next } from '../../kube/controller.ts';
import { done } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import type { Controller, ControllerContext, ControllerDefinition } from '../controller.ts';
import { observedStatus } from './observed-status.ts';
import { permissions } from './rbac.ts';
import type { StatefulClusterView } from './view.ts';
import { statefulClusters, viewCodec } from './view.ts';

/** Keeps the status of StatefulClusters true. It has no engine yet, and says so in the condition Ready. */
export const statefulClusterController: ControllerDefinition = {
  name: 'stateful-cluster',
  permissions,
  workers: 4,
  create: (context) => new StatefulClusterController(context),
};

class StatefulClusterController implements Controller {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #clusters: Informer<StatefulClusterView>;
  readonly informers: readonly Readable[];

  constructor({ client, clock, informer }: ControllerContext) {
    this.#client = client;
    this.#clock = clock;
    this.#clusters = informer<StatefulClusterView, never>({
      resource: statefulClusters,
      codec: viewCodec,
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
    });
    this.informers = [this.#clusters];
  }

  watch(add: (key: KeyText) => void): () => void {
    return this.#clusters.cache.subscribe({
      added: ({ key }) => add(key),
      updated: ({ key }) => add(key),
    });
  }

  readonly reconcile = async (key: KeyText, signal: AbortSignal): Promise<Next> => {
    const object = await this.#read(key, signal);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return done;
    const status = observedStatus(object, toTimestamp(this.#clock.now()));
    if (status === undefined) return done;
    const { resourceVersion, uid } = object.metadata;
    await this.#client.patch(
      statefulClusters,
      parseKey(key),
      { type: 'merge', body: { metadata: { resourceVersion, uid }, status } },
      { signal, subresource: 'status', fieldManager: 'drover' },
    );
    return done;
  };

  async #read(key: KeyText, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(statefulClusters, parseKey(key), { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
