import type { Condition, ConditionDefinition } from '../../api/v1alpha1/condition.schema.ts';
import type {
  StatefulClusterConditionType,
  statefulClusterConditions,
} from '../../api/v1alpha1/stateful-cluster.conditions.ts';
import { cutText } from './cut-text.ts';

/** The reasons that the catalogue lists for a condition; any text where codes of the core appear too. */
type ReasonOf<Definition extends ConditionDefinition> = Definition['alsoCodes'] extends true
  ? string
  : keyof Definition['reasons'] & string;

/** One answer about a condition of a catalogue, as it is now. Only what the catalogue lists can be written. */
export type JudgementOf<Definition extends ConditionDefinition> = {
  readonly [Each in Definition as Each['type']]: {
    readonly type: Each['type'];
    readonly status: Condition['status'];
    readonly reason: ReasonOf<Each>;
    readonly message: string;
  };
}[Definition['type']];

/** One answer about the cluster. */
export type Judgement<Type extends StatefulClusterConditionType = StatefulClusterConditionType> = JudgementOf<
  Extract<(typeof statefulClusterConditions)[number], { readonly type: Type }>
>;

/** One answer about an object of any kind. */
export type AnyJudgement = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** How many conditions, and how long a message, a status holds. */
const most = 16;
const longestMessage = 4096;

/**
 * The conditions with these judgements in their place, and after them those of others, as they were. A condition keeps the moment of its last
 * transition until its status changes.
 */
export function withJudgements(
  before: readonly Condition[],
  judgements: readonly AnyJudgement[],
  { generation, now }: { readonly generation: number; readonly now: string },
): Condition[] {
  const judged = judgements.map(({ type, status, reason, message }): Condition => {
    const known = before.find((one) => one.type === type);
    const since = known?.status === status ? known.lastTransitionTime : now;
    return {
      type,
      status,
      observedGeneration: generation,
      lastTransitionTime: since,
      reason,
      message: cutText(message, longestMessage),
    };
  });
  const types = new Set<string>(judgements.map(({ type }) => type));
  return [...judged, ...before.filter(({ type }) => !types.has(type))].slice(0, most);
}
