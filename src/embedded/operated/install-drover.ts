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

/** Puts Drover's kinds and its webhook into a cluster in memory. The kinds are served a moment later. */
export async function installDrover(client: KubeClient, call: CallOptions): Promise<void> {
  await client.create(validatingWebhookConfigurations, webhookConfiguration(), call);
  for (const kind of kinds) await client.create(definitions, crdOf(kind), call);
}
