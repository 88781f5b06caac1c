import type { RoleRules } from '../../model/role-rules.ts';
import { allOf, anyOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';

/** The operator sets no tolerations, so Kubernetes' own 300 s hold. */
const tolerationSeconds = seconds(300);

/**
 * Its units cannot be seen one by one, so the engine's figure stands for them. `block-for-eviction` shuts the second way: the drain policy
 * then asks for `drained` by itself.
 */
const stateful = (role: string, transactionSystem: boolean): RoleRules => ({
  role,
  mayBeEvicted: anyOf('drained', { all: ['fully-replicated', 'one-more-zone-may-fail', 'no-other-zone-down'] }),
  mayBeReplaced: allOf('drained'),
  replacedAs: 'new-id',
  tolerationSeconds,
  leavesBy: 'replace',
  holdsData: true,
  drainedBeforeRemoval: true,
  locked: true,
  mayHaveASeat: true,
  transactionSystem,
});

/** The engine recruits any process of these classes for the work of another. */
const interchangeable = ['stateless', 'cluster_controller', 'proxy', 'commit_proxy', 'grv_proxy'] as const;

const stateless = (role: string): RoleRules => ({
  role,
  mayBeEvicted: allOf('rest-of-role-serves'),
  // It holds no data: a dead one, which can never be drained, is not waited for.
  mayBeReplaced: anyOf('drained', 'rest-of-role-serves'),
  replacedAs: 'new-id',
  tolerationSeconds,
  leavesBy: 'recreate',
  holdsData: false,
  drainedBeforeRemoval: true,
  locked: true,
  mayHaveASeat: true,
  transactionSystem: true,
  // One cluster controller is the usual number: without stand-ins its pod could never be evicted.
  standIns: interchangeable.filter((other) => other !== role),
});

/** Does nothing for the database. */
const test: RoleRules = {
  role: 'test',
  mayBeEvicted: allOf('always'),
  mayBeReplaced: allOf('always'),
  replacedAs: 'new-id',
  tolerationSeconds,
  leavesBy: 'recreate',
  holdsData: false,
  drainedBeforeRemoval: false,
  locked: false,
  transactionSystem: true,
};

/** FoundationDB's process classes. `general` does whatever is needed, so it may hold data. */
export const foundationdbRoles: readonly RoleRules[] = [
  stateful('storage', false),
  stateful('general', false),
  stateful('log', true),
  stateful('transaction', true),
  stateful('coordinator', true),
  ...interchangeable.map(stateless),
  stateless('backup'),
  test,
];
