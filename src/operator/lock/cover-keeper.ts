import { isDeepStrictEqual } from 'node:util';
import { jsonCodec } from '../../kube/codec.ts';
import { describeError } from '../../kube/error-description.ts';
import { isAlreadyExists, isNotFound, KubeApiError } from '../../kube/errors.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { KeyText } from '../../kube/object.ts';
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from '../../kube/resources.ts';
import { validatingWebhookConfigurations } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import { names } from '../names.ts';
import type { Covered } from './foreign-cover.ts';
import { coverConfig, coveredBy, covering, coverName, podsUnder } from './foreign-cover.ts';
import type { LockOwner } from './lock-owner.ts';

type Parts = Pick<ControllerContext, 'informer' | 'client' | 'own' | 'coversForeign'>;
type Configuration = ValidatingWebhookConfiguration;

/** undefined: these pods cannot be evicted while Drover is down. Otherwise why they can. */
export type Uncovered = string | undefined;

const name = names.foreignConfiguration;
const declined = 'Drover was started with --no-foreign-webhook';

/**
 * Covers pods that no lock of Drover's can be on: a webhook without which the API server evicts none of them. One configuration for all owners, there
 * only while one of them needs it, and heard of when somebody changes it.
 */
export class CoverKeeper {
  readonly #parts: Parts;
  readonly #informer: Informer<Configuration>;
  readonly informers: readonly Readable[];
  #hasTidied = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#informer = parts.informer<Configuration, never>({
      resource: validatingWebhookConfigurations,
      codec: jsonCodec<Configuration, Configuration>((configuration) => configuration),
      fieldSelector: `metadata.name=${name}`,
      key: ({ metadata }) => metadata.name,
      version: ({ metadata }) => metadata.resourceVersion ?? '',
      indexes: {},
    });
    // Who declines it need not let Drover read it.
    this.informers = parts.coversForeign ? [this.#informer] : [];
  }

  /** Tells whose pods are covered, or were until now: also of owners that are gone. Call the result to stop. */
  subscribe(kind: LockOwner['kind'], hear: (owner: KeyText) => void): () => void {
    const tell = ({ webhooks = [] }: Configuration) => {
      for (const webhook of webhooks) {
        const owner = coveredBy(webhook.name, kind);
        if (owner !== undefined) hear(owner);
      }
    };
    return this.#informer.cache.subscribe({
      added: tell,
      updated: (now, before) => {
        tell(now);
        tell(before);
      },
      deleted: tell,
    });
  }

  /** Covers these pods besides those that are covered: before their lock is taken away. */
  async widen(owner: Covered, pods: readonly string[], signal: AbortSignal): Promise<Uncovered> {
    if (!this.#parts.coversForeign) {
      await this.#tidy(signal);
      return declined;
    }
    try {
      await this.#keep(owner, (before) => [...new Set([...before, ...pods])], signal);
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return `the webhook configuration ${name} cannot be written: ${describeError(error).message}`;
    }
  }

  /** Covers these pods and no others: once the rest are locked again, or gone. */
  async narrow(owner: Covered, pods: readonly string[], signal: AbortSignal): Promise<void> {
    if (this.#parts.coversForeign) await this.#keep(owner, () => pods, signal);
    else await this.#tidy(signal);
  }

  /** By what was heard last, and, where that is not as it should be, by a fresh look. */
  async #keep(owner: Covered, wanted: (before: readonly string[]) => readonly string[], signal: AbortSignal) {
    const known = this.#informer.cache.get(name);
    const isDone = (configuration: Configuration | undefined) => this.#isDone(owner, configuration, wanted);
    if (isDone(known)) return;
    const current = await this.#find(name, signal);
    if (!isDone(current)) await this.#write(owner, current, wanted, signal);
  }

  #isDone(
    owner: Covered,
    configuration: Configuration | undefined,
    wanted: (before: readonly string[]) => readonly string[],
  ): boolean {
    const mine = webhookOf(owner, configuration);
    const pods = wanted(mine === undefined ? [] : podsUnder(mine));
    if (mine === undefined || pods.length === 0) return mine === undefined && pods.length === 0;
    return isDeepStrictEqual(essence(mine), essence(covering(owner, pods, this.#user, mine.clientConfig)));
  }

  async #write(
    owner: Covered,
    current: Configuration | undefined,
    wanted: (before: readonly string[]) => readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const mine = webhookOf(owner, current);
    const pods = wanted(mine === undefined ? [] : podsUnder(mine));
    const others = (current?.webhooks ?? []).filter((webhook) => webhook.name !== coverName(owner));
    const own = pods.length === 0 ? [] : [covering(owner, pods, this.#user, await this.#whereToAsk(signal))];
    const webhooks = [...others, ...own].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const { client } = this.#parts;
    const options = { signal, fieldManager: 'drover' };
    const labels = { 'app.kubernetes.io/name': 'drover' };
    if (current === undefined) {
      try {
        await client.create(validatingWebhookConfigurations, { metadata: { name, labels }, webhooks }, options);
      } catch (error) {
        // Made a moment ago for another owner.
        if (!isAlreadyExists(error)) throw error;
        await this.#keep(owner, wanted, signal);
      }
    } else if (webhooks.length > 0) {
      await client.update(validatingWebhookConfigurations, { ...current, webhooks }, options);
    } else {
      await this.#delete(current, signal);
    }
  }

  /** The server of the voice, with the certificate that is trusted there now. */
  async #whereToAsk(signal: AbortSignal): Promise<ValidatingWebhook['clientConfig']> {
    const { client } = this.#parts;
    const voice = await client.get(validatingWebhookConfigurations, { name: names.webhookConfiguration }, { signal });
    const [first] = voice.webhooks ?? [];
    return coverConfig(first?.clientConfig ?? {});
  }

  /** What an operator that did not decline it has left behind. */
  async #tidy(signal: AbortSignal): Promise<void> {
    if (this.#hasTidied) return;
    this.#hasTidied = true;
    try {
      await this.#delete({ metadata: { name } }, signal);
    } catch (error) {
      // Who declines it need not let Drover write it either.
      if (!(error instanceof KubeApiError)) throw error;
    }
  }

  /** Only this version: another owner may have come to be covered. */
  async #delete({ metadata: { uid, resourceVersion } }: Configuration, signal: AbortSignal): Promise<void> {
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    try {
      await this.#parts.client.delete(validatingWebhookConfigurations, { name }, { signal, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #find(configuration: string, signal: AbortSignal): Promise<Configuration | undefined> {
    return this.#parts.client.find(validatingWebhookConfigurations, { name: configuration }, { signal });
  }

  get #user(): string {
    const { namespace, serviceAccount } = this.#parts.own;
    return `system:serviceaccount:${namespace}:${serviceAccount}`;
  }
}

/** A no that stays one until a person changes something; everything else is tried again, and the lock stays meanwhile. */
const isRefusal = (error: unknown): error is KubeApiError =>
  error instanceof KubeApiError && error.status < 500 && ![409, 429].includes(error.status);

const webhookOf = (owner: Covered, configuration: Configuration | undefined): ValidatingWebhook | undefined =>
  configuration?.webhooks?.find((webhook) => webhook.name === coverName(owner));

/** The API server adds defaults of its own. */
const essence = ({ rules = [], failurePolicy, namespaceSelector, matchConditions }: ValidatingWebhook) => ({
  rules: rules.map(({ resources, operations }) => ({ resources, operations })),
  failurePolicy,
  namespaceSelector,
  matchConditions,
});
