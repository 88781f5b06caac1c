import type { RoleRules } from '../../model/role-rules.ts';
import { allOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';

/**
 * A failover turns a primary into a replica and back, so both have one rule. That every slot keeps an in-sync owner is asked by the drain
 * policy.
 */
export const redisServer: RoleRules = {
  role: 'primary',
  mayBeEvicted: allOf('leads-no-unit', 'quorum-survives'),
  mayBeReplaced: allOf('led-units-have-in-sync-follower', 'quorum-survives'),
  replacedAs: 'new-id',
  tolerationSeconds: seconds(300),
  leavesBy: 'hand-off',
  holdsData: true,
  drainedBeforeRemoval: true,
  locked: true,
  transactionSystem: false,
};
