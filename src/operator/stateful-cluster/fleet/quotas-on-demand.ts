import { jsonCodec } from '../../../kube/codec.ts';
import { isForbidden } from '../../../kube/errors.ts';
import type { Informer } from '../../../kube/informer.ts';
import type { ControllerContext } from '../../controller.ts';
import { explainTrouble } from '../../explain-trouble.ts';
import type { Quota, QuotaView } from './quota.ts';
import { quotas, quotaView } from './quota.ts';

/** What a namespace rations; or, as a sentence, why that is not known. */
export type Rationed = readonly QuotaView[] | string;

/**
 * The quotas, read from the moment on that a cluster has something to make or to replace: whoever only has clusters at rest pays nothing, and
 * whoever does not let Drover read quotas has all the rest. They are read until `stop`.
 */
export class QuotasOnDemand {
  readonly #informer: Informer<QuotaView, 'namespace'>;
  readonly #end = new AbortController();
  readonly #hear: (namespace: string) => void;
  #reading = false;
  #tried = false;

  /** `hear` is told of every change. */
  constructor({ informer }: Pick<ControllerContext, 'informer'>, hear: (namespace: string) => void) {
    this.#hear = hear;
    this.#informer = informer<QuotaView, 'namespace'>({
      resource: quotas,
      codec: jsonCodec<Quota, QuotaView>(quotaView),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: { namespace: ({ namespace }) => [namespace] },
    });
  }

  /** Whether `in` can tell: they were read, or could not be. */
  get isTold(): boolean {
    return this.#tried;
  }

  /** From now on. Resolves when they are read, or cannot be. */
  async read(signal: AbortSignal): Promise<void> {
    if (!this.#reading) {
      this.#reading = true;
      const tell = ({ namespace }: QuotaView) => this.#hear(namespace);
      this.#informer.cache.subscribe({ added: tell, updated: tell, deleted: tell });
      void this.#informer.run(this.#end.signal);
    }
    await this.#informer.tried(signal);
    this.#tried = true;
  }

  in(namespace: string): Rationed {
    const { cache, trouble } = this.#informer;
    // What was read before a connection broke is better than nothing; what may not be read any more would be believed for ever.
    if (trouble !== undefined && (!cache.hasSynced || isForbidden(trouble)))
      return explainTrouble('resourcequotas', trouble);
    return cache.find('namespace', namespace).filter(({ scoped }) => !scoped);
  }

  stop(): void {
    this.#end.abort();
  }
}
