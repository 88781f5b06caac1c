import type { Seconds } from './time.ts';

/** The questions that a rule can ask about a process. Each has one implementation, in `src/rules/predicates.ts`. */
export const predicateNames = [
  'always',
  'never',
  'drained',
  'leads-no-unit',
  'led-units-have-in-sync-follower',
  'write-concern-survives',
  'not-quorum-leader',
  'leader-responds',
  'other-follower-responds',
  'quorum-survives',
  'follower',
  'old-pod-gone',
  'fully-replicated',
  'one-more-zone-may-fail',
  'no-other-zone-down',
  'rest-of-role-serves',
  'no-attached-unit-led',
] as const;
export type PredicateName = (typeof predicateNames)[number];

/** A conjunction or a disjunction of questions. A disjunction may hold a conjunction, no more: rules stay readable. */
export type Rule =
  | { readonly all: readonly PredicateName[] }
  | { readonly any: readonly (PredicateName | { readonly all: readonly PredicateName[] })[] };

/** How a process leaves once it was asked to. */
export type LeavesBy = 'nothing' | 'hand-off' | 'evacuate' | 'replace' | 'recreate';

/** What holds for one kind of process. Nothing else in the code base knows what an agent is. */
export interface RoleRules {
  readonly role: string;
  readonly mayBeEvicted: Rule;
  readonly mayBeReplaced: Rule;
  /** `same-id-wiped`: the successor takes over the identity with an empty disk. `none`: it is not replaced. */
  readonly replacedAs: 'new-id' | 'same-id-wiped' | 'none';
  /** Of the NoExecute taints not-ready and unreachable. `forever`: tolerated without a time limit. */
  readonly tolerationSeconds: Seconds | 'forever';
  readonly leavesBy: LeavesBy;
  /** Whether it holds data, so that the drain policy is asked too. */
  readonly holdsData: boolean;
  /** Whether a replacement must wait until the engine confirms that it is drained. */
  readonly drainedBeforeRemoval: boolean;
  /** Whether its pods are under the lock. Roles that may always go are left out of it. */
  readonly locked: boolean;
  /** Set for a pod that is no server, so that the engine never lists it. */
  readonly unlisted?: true;
  /** Part of FoundationDB's transaction system: replaced by `ReplaceTransactionSystem`. */
  readonly transactionSystem: boolean;
  /** Set where its address may be a seat in a quorum that is moved from one to the other: FoundationDB's coordinators. */
  readonly mayHaveASeat?: true;
  /** Other roles whose processes take over its work while it is away, for `rest-of-role-serves`. Absent: none. */
  readonly standIns?: readonly string[];
}

export const allOf = (...all: readonly PredicateName[]): Rule => ({ all });
export const anyOf = (...any: readonly (PredicateName | { readonly all: readonly PredicateName[] })[]): Rule => ({
  any,
});
