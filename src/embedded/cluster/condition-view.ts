import { type JsonObject, listAt, textAt } from '../api-server/json.ts';

/** One condition of a pod or a node. */
export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export function conditionsOf(object: JsonObject): readonly ConditionView[] {
  return listAt(object, 'status', 'conditions').map((each) => ({
    type: textAt(each, 'type'),
    status: textAt(each, 'status'),
    reason: textAt(each, 'reason'),
    message: textAt(each, 'message'),
    lastTransitionTime: textAt(each, 'lastTransitionTime'),
  }));
}

export const conditionOf = (
  { conditions }: { readonly conditions: readonly ConditionView[] },
  type: string,
): ConditionView | undefined => conditions.find((each) => each.type === type);
