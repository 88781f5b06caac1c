import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../../kube/client.ts';
import { jsonCodec } from '../../kube/codec.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { PolicyBinding } from './delete-bindings.ts';
import { guardLabel, policyBindings } from './delete-bindings.ts';
import { evictionGuards } from './view.ts';

/** Held while bindings of the guard may be there: they are in no namespace, so that nothing else takes them away with the guard. */
export const bindingsFinalizer = 'drover.dev/guard-deletes';

const codec = jsonCodec<PolicyBinding, PolicyBinding>((binding) => binding);

/** Keeps what refuses a plain DELETE of guarded pods. A guard that never asked for it costs nothing. */
export class DeleteKeeper {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Brings the bindings of a guard to where they should be. `wanted` is empty where there should be none. */
  async keep({ metadata }: KubeObject, wanted: readonly PolicyBinding[], signal: AbortSignal): Promise<void> {
    const isHeld = metadata.finalizers?.includes(bindingsFinalizer) === true;
    if (wanted.length === 0 && !isHeld) return;
    if (!isHeld) await this.#hold(metadata, true, signal);
    const there = await this.#list(metadata.uid ?? '', signal);
    for (const binding of wanted) await this.#write(binding, there, signal);
    const names = new Set(wanted.map((binding) => binding.metadata.name));
    for (const one of there) if (!names.has(one.metadata.name)) await this.#delete(one, signal);
    if (wanted.length === 0) await this.#hold(metadata, false, signal);
  }

  async #list(uid: string, signal: AbortSignal): Promise<readonly PolicyBinding[]> {
    const { items } = await this.#client.list(policyBindings, codec, { labelSelector: `${guardLabel}=${uid}`, signal });
    return items;
  }

  async #write(binding: PolicyBinding, there: readonly PolicyBinding[], signal: AbortSignal): Promise<void> {
    const options = { signal, fieldManager: 'drover' };
    const known = there.find(({ metadata }) => metadata.name === binding.metadata.name);
    if (known === undefined) {
      try {
        await this.#client.create(policyBindings, binding, options);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    } else if (!saysTheSame(known, binding)) {
      const { resourceVersion } = known.metadata;
      const metadata = { ...binding.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
      await this.#client.update(policyBindings, { ...binding, metadata }, options);
    }
  }

  async #delete({ metadata: { name } }: PolicyBinding, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete(policyBindings, { name }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #hold(metadata: KubeObject['metadata'], held: boolean, signal: AbortSignal): Promise<void> {
    const { namespace, name, uid, resourceVersion, finalizers = [] } = metadata;
    const others = finalizers.filter((one) => one !== bindingsFinalizer);
    const body = { metadata: { uid, resourceVersion, finalizers: held ? [...others, bindingsFinalizer] : others } };
    await this.#client.patch(
      evictionGuards,
      { namespace, name },
      { type: 'merge', body },
      { signal, fieldManager: 'drover' },
    );
  }
}

/** The API server adds defaults of its own to what is matched. */
function saysTheSame(known: PolicyBinding, wanted: PolicyBinding): boolean {
  const of = ({ spec }: PolicyBinding) => [
    spec?.policyName,
    spec?.validationActions.toSorted(),
    spec?.matchResources?.namespaceSelector,
    spec?.matchResources?.objectSelector,
  ];
  return isDeepStrictEqual(of(known), of(wanted));
}
