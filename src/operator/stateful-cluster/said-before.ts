import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Decision } from '../../model/decision.ts';
import { reasons } from '../../model/reasons.ts';
import type { Said } from '../events/explain.ts';
import { holdKey, isOneAtMost, saidIn } from '../events/explain.ts';
import { unknownIdsOf } from './status-conditions.ts';

/**
 * What people were told before, by what the status says that a decision was made about: by its rows, of ids that do not exist by their condition, and of a
 * new database that is not set up by `Blocked`, where no row speaks instead.
 */
export function saidBefore(status: StatefulClusterStatus, decision: Decision): Said {
  const { type, message } = unknownIdsOf(decision);
  const areIdsTold = status.conditions.some((one) => one.type === type && one.message === message);
  const ids = decision.holds.filter(({ reason }) => reason.code === reasons.unknownProcessGroup.code);
  const blocked = status.conditions.find((one) => one.type === 'Blocked')?.reason;
  const alone = decision.holds.filter(({ reason }) => reason.code === blocked && isOneAtMost(reason));
  return new Set([...saidIn(status), ...[...(areIdsTold ? ids : []), ...alone].map(holdKey)]);
}
