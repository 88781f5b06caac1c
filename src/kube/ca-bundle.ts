import type { KubeClient } from './client.ts';
import type { JsonPatchOperation } from './client-options.ts';
import { isConflict, isInvalid, isNotFound } from './errors.ts';
import type { KubeObject } from './object.ts';
import type { Resource } from './resource.ts';
import type { WebhookClientConfig } from './resources.ts';

/** A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig: WebhookClientConfig }[];
}

/** `absent`: the configuration does not exist (yet); ask again later. */
export type BundleResult = 'unchanged' | 'patched' | 'absent';

const mostTries = 5;

/**
 * Tells the API server whom to trust when it calls our webhooks: sets `caBundle` on every webhook of one configuration, and writes nothing
 * where it is right already. The patch holds only for the version that was read, so that it never lands on a webhook that moved to another
 * place in the list; where someone else was faster it reads again. Rejects as the client does, also when others stay faster.
 *
 * @param authorities PEM
 */
export async function publishCaBundle<T extends WebhookConfiguration>(
  client: KubeClient,
  resource: Resource<T>,
  name: string,
  authorities: string,
  signal: AbortSignal,
): Promise<BundleResult> {
  const bundle = Buffer.from(authorities).toString('base64');
  for (let tries = 1; ; tries++) {
    try {
      const operations = patchFor(await client.get(resource, { name }, { signal }), bundle);
      if (operations.length === 0) return 'unchanged';
      await client.patch(resource, { name }, { type: 'json', operations }, { signal });
      return 'patched';
    } catch (error) {
      if (isNotFound(error)) return 'absent';
      // A failed `test` is answered with 422 by the API server, a lost race inside it with 409.
      if (tries >= mostTries || !(isConflict(error) || isInvalid(error))) throw error;
    }
  }
}

function patchFor(configuration: WebhookConfiguration, bundle: string): readonly JsonPatchOperation[] {
  const changes = (configuration.webhooks ?? []).flatMap(({ clientConfig }, index): JsonPatchOperation[] =>
    clientConfig.caBundle === bundle
      ? []
      : [{ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: bundle }],
  );
  if (changes.length === 0) return [];
  const { resourceVersion } = configuration.metadata;
  return [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }, ...changes];
}
