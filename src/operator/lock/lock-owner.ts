import type { LabelSelector } from '../../kube/resources.ts';

/** Whose pods are locked. */
export interface LockOwner {
  readonly kind: 'StatefulCluster' | 'EvictionGuard';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The pods of one role, as its owner selects them. */
export interface LockedRole {
  readonly role: string;
  readonly selector: LabelSelector;
}
