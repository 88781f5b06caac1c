import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { DisruptionBudget } from '../lock/lock-budget.ts';
import { disruptionBudgets } from '../lock/lock-budget.ts';

/** The kinds that only a drain reads, as far as it reads them. */

export interface Budget extends DisruptionBudget {
  readonly status?: { readonly disruptionsAllowed?: number };
}

export interface Attachment extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly source?: { readonly persistentVolumeName?: string } };
}

export const budgets: Resource<Budget> = disruptionBudgets;
export const attachments: Resource<Attachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
};
