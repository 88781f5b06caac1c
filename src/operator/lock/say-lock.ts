import { list } from '../../model/phrases.ts';
import type { LockState } from './lock-state.ts';

/** The condition `Locked` in words, for both kinds that lock pods. */
export function sayLock(lock: LockState): { readonly reason: LockReason; readonly message: string } {
  switch (lock.is) {
    case 'locked':
      return {
        reason: 'BudgetsInPlace',
        message: 'the API server refuses to evict these pods unless Drover opens one',
      };
    case 'foreign':
      return {
        reason: 'ForeignBudget',
        message: `${list(lock.budgets, 5)} selects some of these pods, and two budgets on one pod make every eviction fail; Drover leaves its lock of their role out until that budget is gone or selects other pods; ${whileDown(lock)}`,
      };
    case 'overlapping':
      return {
        reason: 'OverlappingGuard',
        message: `some of these pods are locked by ${list(lock.owners, 5)} already; change one of the selectors`,
      };
    case 'missing':
      return { reason: 'BudgetMissing', message: `${whatIsMissing(lock)}: ${lock.why}` };
  }
}

const whatIsMissing = ({ budgets }: Extract<LockState, { readonly is: 'missing' }>): string =>
  budgets.length === 0
    ? 'the locks are there and cannot be kept as they should be'
    : `the disruption ${budgets.length === 1 ? 'budget' : 'budgets'} ${list(
        budgets.map(({ budget }) => budget),
        5,
      )} cannot be made`;

const whileDown = ({ uncovered }: Extract<LockState, { readonly is: 'foreign' }>): string =>
  uncovered === undefined
    ? 'the webhook drover-foreign covers them: while Drover is down their evictions fail with 500'
    : `while Drover is down that budget alone decides about them, because ${uncovered}`;

type LockReason = 'BudgetsInPlace' | 'ForeignBudget' | 'OverlappingGuard' | 'BudgetMissing';
