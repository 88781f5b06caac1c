import { crdOf } from '../../api/crd.ts';
import { kinds } from '../../api/kinds.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { CallOptions } from '../../kube/client-options.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import { validatingWebhookConfigurations } from '../../kube/resources.ts';
import { webhookConfiguration } from '../../operator/manifests.ts';

const definitions: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Made once: it takes as long as the rest of what a world begins with, and tests have hundreds of worlds. */
let ours: readonly KubeObject[] | undefined;

/** Puts Drover's kinds and its webhook into a cluster in memory. The kinds are served a moment later. */
export async function installDrover(client: KubeClient, call: CallOptions): Promise<void> {
  ours ??= kinds.map(crdOf);
  await client.create(validatingWebhookConfigurations, webhookConfiguration(), call);
  for (const definition of ours) await client.create(definitions, definition, call);
}
