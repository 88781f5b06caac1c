import type { RoleRules } from '../../model/role-rules.ts';
import { allOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';

/** A leader is asked to hand over first: an election that nobody planned costs writes. */
export const etcdMember: RoleRules = {
  role: 'member',
  mayBeEvicted: allOf('not-quorum-leader', 'quorum-survives'),
  mayBeReplaced: allOf('quorum-survives'),
  replacedAs: 'new-id',
  tolerationSeconds: seconds(300),
  leavesBy: 'hand-off',
  holdsData: true,
  drainedBeforeRemoval: true,
  locked: true,
  transactionSystem: false,
};
