import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Decision } from '../../model/decision.ts';
import { reasons } from '../../model/reasons.ts';
import type { Said } from '../events/explain.ts';
import { holdKey, saidIn } from '../events/explain.ts';
import { unknownIdsOf } from './status-conditions.ts';

/** What people were told before, by what the status says that a decision was made about: by its rows, and of ids that do not exist by their condition. */
export function saidBefore(status: StatefulClusterStatus, decision: Decision): Said {
  const { type, message } = unknownIdsOf(decision);
  const areIdsTold = status.conditions.some((one) => one.type === type && one.message === message);
  const ids = decision.holds.filter(({ reason }) => reason.code === reasons.unknownProcessGroup.code);
  return new Set([...saidIn(status), ...(areIdsTold ? ids.map(holdKey) : [])]);
}
