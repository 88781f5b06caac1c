import type { Action, Hold, StatusRecord, Step } from '../../model/decision.ts';
import { at } from '../../model/testing/given.ts';
import type { Instant } from '../../model/time.ts';

/** All that a step says, a line each, so that a test can hold the whole of it against a table. Times are seconds after the start. */
export function says({ records, actions, holds, wakeAt }: Step): readonly string[] {
  return [
    ...records.map(recordLine),
    ...actions.map(actionLine),
    ...holds.map(holdLine),
    ...(wakeAt === undefined ? [] : [`wake ${time(wakeAt)}`]),
  ];
}

/** `+1800`, `-5`, `+0`. */
export function time(instant: Instant): string {
  const seconds = (instant - at(0)) / 1000;
  return `${seconds < 0 ? '' : '+'}${seconds}`;
}

function recordLine(record: StatusRecord): string {
  switch (record.record) {
    case 'condition-set':
      return `set ${record.group} ${record.condition} ${time(record.since)}`;
    case 'condition-cleared':
      return `clear ${record.group} ${record.condition}`;
    case 'taints-seen':
      return `taints ${record.group} [${record.taints.map(({ key, since, node }) => `${key} ${time(since)} on ${node}`).join(', ')}]`;
    case 'addresses':
      return `addresses ${record.group} [${record.addresses.join(', ')}]`;
    case 'zone':
      return `zone ${record.group} ${record.zone}`;
    case 'group-added':
      return `add ${record.group} ${record.role} #${record.number} ${record.reason.code}`;
    case 'marked':
      return `mark ${record.group} ${record.cause} ${record.reason.code}${record.withoutExclusion ? ' without exclusion' : ''}`;
    case 'unmarked':
      return `unmark ${record.group} ${record.reason.code}${record.evacuationStands === true ? ' still emptied' : ''}`;
    case 'evacuating':
    case 'keeping':
    case 'evacuation-ended':
    case 'drained':
    case 'not-drained':
    case 'removing':
      return `${record.record} ${record.group} ${record.reason.code}`;
    default:
      return JSON.stringify(record);
  }
}

function actionLine(action: Action): string {
  switch (action.act) {
    case 'create':
      return `create ${action.what} ${action.group} ${action.reason.code}`;
    case 'evacuate':
    case 'cancel-evacuation':
    case 'forget':
      return `${action.act} ${action.group} [${action.processes.join(', ')}] [${action.addresses.join(', ')}] ${action.reason.code}`;
    default:
      return JSON.stringify(action);
  }
}

function holdLine({ step, group, reason }: Hold): string {
  const until = reason.until === null ? '' : ` until ${time(reason.until)}`;
  return `${step} holds ${group ?? 'the cluster'}: ${reason.code}${until}`;
}
