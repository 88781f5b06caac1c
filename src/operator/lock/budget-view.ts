import type { KeyText } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { DisruptionBudget } from './lock-budget.ts';
import { lockLabels } from './lock-budget.ts';
import type { LockOwner } from './lock-owner.ts';

/** What is kept of a disruption budget, whoever made it. */
export interface BudgetView {
  readonly key: KeyText;
  readonly version: string;
  readonly namespace: string;
  readonly createdAt: string;
  readonly spec: NonNullable<DisruptionBudget['spec']>;
  /** Whose lock it is; undefined: it is no lock of Drover's. */
  readonly lockOf: Pick<LockOwner, 'kind' | 'name' | 'uid'> | undefined;
}

export function budgetView({ metadata, spec = {} }: DisruptionBudget): BudgetView {
  return {
    key: keyText(metadata),
    version: metadata.resourceVersion ?? '',
    namespace: metadata.namespace ?? '',
    createdAt: metadata.creationTimestamp ?? '',
    spec,
    lockOf: lockOf(metadata),
  };
}

/** By its owner as well as by its labels: anybody may write a label. */
function lockOf({ labels = {}, ownerReferences = [] }: DisruptionBudget['metadata']): BudgetView['lockOf'] {
  const kind = labels[lockLabels.kind];
  const owner = ownerReferences.find((one) => one.kind === kind && one.controller === true);
  if (owner === undefined || (kind !== 'StatefulCluster' && kind !== 'EvictionGuard')) return undefined;
  return { kind, name: owner.name, uid: owner.uid };
}

export const isLockOf = ({ uid, namespace }: LockOwner, { lockOf, namespace: where }: BudgetView): boolean =>
  lockOf?.uid === uid && where === namespace;
