import type { RoleRules } from '../../model/role-rules.ts';
import { allOf, anyOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';
import type { RoleKind } from '../../model/topology.ts';

/** Any process of any system: the drain policy and its quorums decide, and the spec may ask for more. */
const anyProcess: RoleRules = {
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

/**
 * By the kind that the system says a role is of. Whatever it says, every unit and quorum is asked about as well: a process that should hold
 * nothing is let go as one that holds nothing only if that is so.
 */
export const httpRoles: { readonly [kind in RoleKind]: RoleRules } = {
  data: anyProcess,
  /** As etcd: an election that nobody planned costs writes. */
  member: {
    ...anyProcess,
    role: 'member',
    mayBeEvicted: allOf('not-quorum-leader', 'quorum-survives'),
    leavesBy: 'hand-off',
  },
  stateless: {
    ...anyProcess,
    role: 'stateless',
    mayBeEvicted: allOf('rest-of-role-serves'),
    mayBeReplaced: anyOf('drained', 'rest-of-role-serves'),
    leavesBy: 'recreate',
    drainedBeforeRemoval: false,
  },
};
