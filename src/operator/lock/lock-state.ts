import type { KeyText } from '../../kube/object.ts';
import type { MissingBudget } from '../../model/snapshot.ts';

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
  /** Something was refused: a budget, or what belongs to it. */
  | {
      readonly is: 'missing';
      readonly why: string;
      /** Those that are not there at all. One that is there and could not be mended is not among them. */
      readonly budgets: readonly MissingBudget[];
    };

export const locked: LockState = { is: 'locked' };
