import { group, version } from '../../api/kind.ts';
import { evictionGuard, nodeDrain } from '../../api/kinds.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { LabelSelector } from '../../kube/resources.ts';

/** The kinds that only a drain reads, as far as it reads them. */

export interface Budget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly disruptionsAllowed?: number };
}

export interface Attachment extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly source?: { readonly persistentVolumeName?: string } };
}

export const nodeDrains: Resource<KubeObject> = {
  group,
  version,
  kind: nodeDrain.kind,
  plural: nodeDrain.plural,
  namespaced: false,
};
export const evictionGuards: Resource<KubeObject> = {
  group,
  version,
  kind: evictionGuard.kind,
  plural: evictionGuard.plural,
  namespaced: true,
};
export const budgets: Resource<Budget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};
export const attachments: Resource<Attachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
};
