import type { RoleRules } from '../../model/role-rules.ts';
import { allOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';

/** Any process of any system: the drain policy and its quorums decide, and the spec may ask for more. */
export const httpProcess: RoleRules = {
  role: 'process',
  mayBeEvicted: allOf('quorum-survives'),
  mayBeReplaced: allOf('quorum-survives'),
  replacedAs: 'new-id',
  tolerationSeconds: seconds(300),
  leavesBy: 'evacuate',
  holdsData: true,
  drainedBeforeRemoval: true,
  locked: true,
  transactionSystem: false,
};
