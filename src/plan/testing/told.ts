import type { Action, Hold, StatusRecord, Step } from '../../model/decision.ts';
import { at } from '../../model/testing/given.ts';
import type { Instant } from '../../model/time.ts';

/** What a step says, one line a thing, for tests that compare all of it. Moments are seconds after the start of the test's day. */
export function told({ records, actions, holds, wakeAt }: Step): readonly string[] {
  return [
    ...records.map(recordLine),
    ...actions.map(actionLine),
    ...holds.map(holdLine),
    ...(wakeAt === undefined ? [] : [`wake ${moment(wakeAt)}`]),
  ];
}

/** The sentences of the holds, for tests about what people read. */
export const toldInWords = ({ holds }: Step): readonly string[] => holds.map(({ reason }) => reason.message);

const moment = (instant: Instant): string => `at ${(instant - at(0)) / 1000}`;

function recordLine(record: StatusRecord): string {
  const said = 'reason' in record ? ` (${record.reason.code})` : '';
  switch (record.record) {
    case 'granted': {
      const { group, pod, node, grantedAt, exemption } = record.grant;
      const exempt = exemption === null ? '' : ` exempt: ${exemption}`;
      return `record granted ${group} ${pod} on ${node} ${moment(grantedAt)}${exempt}${said}`;
    }
    case 'grant-ended':
      return `record grant-ended ${record.group} ${record.pod}`;
    case 'maintenance-on':
      return `record maintenance-on ${record.zone} until ${moment(record.until)}${said}`;
    case 'maintenance-off':
      return `record maintenance-off${said}`;
    default:
      return `record ${record.record} ${record.group}${said}`;
  }
}

function actionLine(action: Action): string {
  const said = ` (${action.reason.code})`;
  switch (action.act) {
    case 'create':
      return `create ${action.what} ${action.group}${said}`;
    case 'delete-pod':
    case 'let-go':
    case 'close':
      return `${action.act} ${action.group} ${action.pod.uid}@${action.pod.resourceVersion}${said}`;
    case 'delete-group': {
      const pod = action.pod === null ? 'without pod' : `${action.pod.uid}@${action.pod.resourceVersion}`;
      return `delete-group ${action.group} ${pod}${action.unchanged === true ? ' if unchanged' : ''}${said}`;
    }
    case 'hand-off':
      return `hand-off ${action.group} [${action.processes.join(' ')}]${said}`;
    case 'evacuate':
    case 'cancel-evacuation':
    case 'forget': {
      const units = action.units === undefined ? '' : ` units [${action.units.join(' ')}]`;
      return `${action.act} ${action.group} [${action.processes.join(' ')}] [${action.addresses.join(' ')}]${units}${said}`;
    }
    case 'reseat':
      return `reseat ${action.quorum} [${action.processes.join(' ')}]${said}`;
    case 'maintenance-on':
      return `maintenance-on ${action.zone} for ${action.time} s${said}`;
    case 'maintenance-off':
      return `maintenance-off${said}`;
  }
}

function holdLine({ step, group, reason }: Hold): string {
  const until = reason.until === null ? '' : ` until ${moment(reason.until)}`;
  return `${step} holds ${group ?? 'all'}: ${reason.code}${until}`;
}
