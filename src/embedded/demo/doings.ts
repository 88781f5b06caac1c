import type { Action, Decision, StatusRecord } from '../../model/decision.ts';

/** What a decision does that is worth telling, each thing once: what is recorded and then done has one sentence for both. */
export function doingsOf({ records, actions }: Decision): readonly string[] {
  const told = [...records.map(recordText), ...actions.map(actionText)];
  return [...new Set(told.filter((text) => text !== undefined))];
}

function recordText(record: StatusRecord): string | undefined {
  switch (record.record) {
    case 'condition-set':
      return conditionTexts[record.condition]?.(record.group);
    case 'gone':
      return `${record.group} is gone, with its pod and its disk`;
    case 'condition-cleared':
    case 'taints-seen':
    case 'addresses':
    case 'zone':
    case 'grant-ended':
      return undefined;
    default:
      return record.reason.message;
  }
}

const conditionTexts: Readonly<Record<string, (group: string) => string>> = {
  NodeTaintDetected: (group) => `${group} is on a node with a taint that counts: its clock runs`,
  NodeTaintReplacing: (group) => `${group} is to be replaced: the taint has been there for its whole duration`,
};

function actionText(action: Action): string | undefined {
  switch (action.act) {
    case 'create':
      return action.what === 'pod' ? action.reason.message : undefined;
    case 'hand-off':
      return `${action.group} hands its leadership over`;
    case 'forget':
      return `the engine forgets ${action.group}`;
    case 'close':
      return undefined;
    default:
      return action.reason.message;
  }
}
