import { apiVersion } from '../../api/kind.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { LabelSelector } from '../../kube/resources.ts';
import { guardLabel, open } from './guard-label.ts';
import type { LockedRole, LockOwner } from './lock-owner.ts';
import { shortKinds } from './lock-owner.ts';
import { roleInNames } from './role-in-names.ts';

/** What is read and written of a disruption budget. */
export interface DisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
}

export const disruptionBudgets: Resource<DisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

/** The labels by which a lock is known, whoever made it. */
export const lockLabels = {
  kind: 'drover.dev/lock-of-kind',
  name: 'drover.dev/lock-of',
  role: 'drover.dev/role',
} as const;

/**
 * More pods than there can be: the API server then answers every eviction with 429, whoever owns the pods. `maxUnavailable: 0` would need
 * owners that can be scaled.
 */
const moreThanThereCanBe = 2_147_483_647;

/** Whether a budget of that name is a lock, where nothing else of it is known. */
export const isLockName = (name: string): boolean =>
  Object.values(shortKinds).some((kind) => name.startsWith(`drover-${kind}-`));

/** The lock of one role: closed for every pod that the role selects, unless the pod's own label opens it. */
export function lockBudget(owner: LockOwner, { role, selector }: LockedRole): DisruptionBudget {
  const { kind, namespace, name, uid } = owner;
  const { matchLabels, matchExpressions = [] } = selector;
  return {
    metadata: {
      namespace,
      // Roles have no dots, so that no two roles of any two owners have the same.
      name: `drover-${shortKinds[kind]}-${name}.${roleInNames(role)}`,
      labels: { [lockLabels.kind]: kind, [lockLabels.name]: name, [lockLabels.role]: role },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      minAvailable: moreThanThereCanBe,
      selector: {
        ...(matchLabels !== undefined && { matchLabels }),
        matchExpressions: [...matchExpressions, { key: guardLabel, operator: 'NotIn', values: [open] }],
      },
    },
  };
}
