import type { KeyText } from '../../kube/object.ts';

/** Whether the API server refuses to evict the pods of an owner by itself. */
export type LockState =
  | { readonly is: 'locked' }
  /** Somebody else's budgets select some of the pods. */
  | {
      readonly is: 'foreign';
      readonly budgets: readonly KeyText[];
      /** Why the pods can be evicted while Drover is down; undefined: they cannot, because a webhook covers them. */
      readonly uncovered?: string | undefined;
    }
  /** An older guard or cluster has them already. */
  | { readonly is: 'overlapping'; readonly owners: readonly string[] }
  /** A budget could not be made. */
  | { readonly is: 'missing'; readonly why: string };

export const locked: LockState = { is: 'locked' };
