import type { RoleRules } from '../../model/role-rules.ts';
import { allOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';

/** One instance manager a node. Its data is a matter of the drain policy; Longhorn makes its pods, so nothing is replaced. */
export const instanceManager: RoleRules = {
  role: 'instance-manager',
  mayBeEvicted: allOf('no-attached-unit-led'),
  mayBeReplaced: allOf('never'),
  replacedAs: 'none',
  tolerationSeconds: seconds(300),
  leavesBy: 'evacuate',
  holdsData: true,
  drainedBeforeRemoval: true,
  locked: true,
  transactionSystem: false,
};
