import type { LabelSelector } from '../../kube/resources.ts';

/** Whose pods are locked. */
export interface LockOwner {
  readonly kind: 'StatefulCluster' | 'EvictionGuard';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** As names of objects have it. */
export const shortKinds = { StatefulCluster: 'cluster', EvictionGuard: 'guard' } as const;

/** The pods of one role, as its owner selects them. */
export interface LockedRole {
  readonly role: string;
  readonly selector: LabelSelector;
}

/** A role with the names of its pods: those that are there, and those that are on record and may come again. */
export interface StaffedRole extends LockedRole {
  readonly pods: readonly string[];
}
