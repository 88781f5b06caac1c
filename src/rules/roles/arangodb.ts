import type { RoleRules } from '../../model/role-rules.ts';
import { allOf, anyOf } from '../../model/role-rules.ts';
import { seconds } from '../../model/time.ts';

/** What holds for all of ArangoDB's pods that keep nothing: they may go at any time, so they are left out of the lock. */
const stateless = {
  mayBeEvicted: allOf('always'),
  mayBeReplaced: allOf('always'),
  leavesBy: 'nothing',
  holdsData: false,
  drainedBeforeRemoval: false,
  locked: false,
  transactionSystem: false,
} as const;

/** Fetches the version of an image. There is no need to replace it, and two at once do no harm. */
const imageId: RoleRules = {
  ...stateless,
  role: 'image-id',
  replacedAs: 'none',
  tolerationSeconds: seconds(5),
  unlisted: true,
};

const coordinator: RoleRules = {
  ...stateless,
  role: 'coordinator',
  replacedAs: 'new-id',
  tolerationSeconds: seconds(15),
};

const syncMaster: RoleRules = {
  ...stateless,
  role: 'syncmaster',
  replacedAs: 'new-id',
  tolerationSeconds: seconds(15),
};

/** Tolerates a little more, because its work in memory has to be done again elsewhere. */
const syncWorker: RoleRules = {
  ...stateless,
  role: 'syncworker',
  replacedAs: 'new-id',
  tolerationSeconds: seconds(60),
};

const dbserver: RoleRules = {
  role: 'dbserver',
  mayBeEvicted: allOf('drained', 'leads-no-unit'),
  mayBeReplaced: anyOf('leads-no-unit', 'led-units-have-in-sync-follower'),
  replacedAs: 'new-id',
  tolerationSeconds: seconds(300),
  leavesBy: 'evacuate',
  holdsData: true,
  drainedBeforeRemoval: true,
  locked: true,
  transactionSystem: false,
};

/** The agency must survive without this one, and must not be led by it. */
const agent: RoleRules = {
  role: 'agent',
  mayBeEvicted: allOf('not-quorum-leader', 'leader-responds', 'other-follower-responds', 'quorum-survives'),
  mayBeReplaced: allOf('old-pod-gone'),
  replacedAs: 'same-id-wiped',
  tolerationSeconds: seconds(300),
  leavesBy: 'hand-off',
  holdsData: true,
  drainedBeforeRemoval: false,
  locked: true,
  transactionSystem: false,
};

const single: RoleRules = {
  role: 'single',
  mayBeEvicted: allOf('never'),
  mayBeReplaced: allOf('never'),
  replacedAs: 'none',
  tolerationSeconds: 'forever',
  leavesBy: 'nothing',
  holdsData: true,
  drainedBeforeRemoval: false,
  locked: true,
  transactionSystem: false,
};

/** Always replaceable as far as its role goes: that a follower has its data is asked for every role that holds data. */
const singleInActiveFailover: RoleRules = {
  role: 'single-active-failover',
  mayBeEvicted: allOf('follower'),
  mayBeReplaced: allOf('always'),
  replacedAs: 'new-id',
  tolerationSeconds: seconds(300),
  leavesBy: 'hand-off',
  holdsData: true,
  drainedBeforeRemoval: false,
  locked: true,
  transactionSystem: false,
};

/** ArangoDB's eight kinds of pod (design 6.1). */
export const arangodbRoles: readonly RoleRules[] = [
  imageId,
  coordinator,
  dbserver,
  agent,
  single,
  singleInActiveFailover,
  syncMaster,
  syncWorker,
];
