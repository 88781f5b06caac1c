import type { KubeClient } from '../../kube/client.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import type { KeyText } from '../../kube/object.ts';
import type { EngineSubject } from '../engine-room/engine-source.ts';
import { configMaps } from '../resources.ts';
import type { Cluster } from './cluster.ts';
import { connectionKey, connectionName } from './connection.ts';
import { connectionConfigMapFor } from './manifests/connection-config-map.ts';

/**
 * Keeps the connection string of each cluster in a ConfigMap, for its pods and for its clients. It is read once, written when the engine says
 * that it has changed, and remembered in between: nobody else writes it.
 */
export class ConnectionKeeper {
  readonly #client: KubeClient;
  readonly #known = new Map<KeyText, string | null>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** What is known without asking; null: nothing. */
  known(key: KeyText): string | null {
    return this.#known.get(key) ?? null;
  }

  /** What is on record; null: nothing yet. */
  async read(cluster: EngineSubject, signal: AbortSignal): Promise<string | null> {
    const known = this.#known.get(cluster.key);
    if (known !== undefined) return known;
    const own = { name: connectionName(cluster), key: connectionKey };
    const given = cluster.spec.engine.foundationdb?.connectionString;
    const { name, key } = given ?? own;
    try {
      const { data, metadata } = await this.#client.get(configMaps, { namespace: cluster.namespace, name }, { signal });
      const text = data?.[key]?.trim() ?? '';
      // One that an earlier cluster of the same name left behind leads to another database, or to none.
      const isOurs = given !== undefined || metadata.ownerReferences?.some(({ uid }) => uid === cluster.uid) === true;
      return this.#remember(cluster.key, text === '' || !isOurs ? null : text);
    } catch (error) {
      if (isNotFound(error)) return this.#remember(cluster.key, null);
      throw error;
    }
  }

  /** Writes what the engine says, where it is news. A ConfigMap that people name themselves is theirs to keep. */
  async write(cluster: Cluster, connectionString: string, signal: AbortSignal): Promise<void> {
    if (this.#known.get(cluster.key) === connectionString) return;
    if (cluster.spec.engine.foundationdb?.connectionString !== undefined) {
      this.#remember(cluster.key, connectionString);
      return;
    }
    const object = connectionConfigMapFor(cluster, connectionString);
    const options = { signal, fieldManager: 'drover' };
    try {
      await this.#client.create(configMaps, object, options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { namespace, name } = object.metadata;
      const { ownerReferences } = object.metadata;
      const patch = { type: 'merge', body: { metadata: { ownerReferences }, data: object.data } } as const;
      await this.#client.patch(configMaps, { namespace, name }, patch, options);
    }
    this.#remember(cluster.key, connectionString);
  }

  leave(key: KeyText): void {
    this.#known.delete(key);
  }

  #remember(key: KeyText, connectionString: string | null): string | null {
    this.#known.set(key, connectionString);
    return connectionString;
  }
}
