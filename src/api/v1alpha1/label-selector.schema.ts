import { z } from 'zod';
import { listOf, setOf } from '../field-types.ts';
import { type Rule, withRules } from '../rule.ts';
import { labelKey, labelValue } from './names.schema.ts';

const expression = withRules(
  z.object({
    key: labelKey.describe('The label key that is looked at.'),
    operator: z
      .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
      .describe(
        'How the label is compared. In and NotIn look at values; Exists and DoesNotExist only ask for the key.',
      ),
    values: setOf(labelValue, 16)
      .optional()
      .describe('What the label is compared with. For In and NotIn only, and then at least one.'),
  }),
  {
    cel: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
    message: 'values must list at least one value for In and NotIn, and none for Exists and DoesNotExist',
    fieldPath: '.values',
    holds: ({ operator, values = [] }) =>
      operator === 'In' || operator === 'NotIn' ? values.length > 0 : values.length === 0,
  },
);

/** The members of a label selector. Everything that they name must hold. */
export const labelSelectorMembers = {
  matchLabels: z
    .record(z.string(), labelValue)
    .check(z.refine((labels) => Object.keys(labels).length <= 32, { message: 'has more than 32 labels' }))
    .meta({ maxProperties: 32 })
    .optional()
    .describe('Labels that must all be there with exactly these values.'),
  matchExpressions: listOf(expression, 16).optional().describe('Conditions on labels that must all hold.'),
};

const labelSelector = z.object(labelSelectorMembers).meta({ 'x-kubernetes-map-type': 'atomic' });
type Selector = z.output<typeof labelSelector>;

/** An empty selector matches everything in Kubernetes; here that is always a slip. */
function selectsSomething(field: string): Rule<Selector> {
  return {
    cel: '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
    message: `${field} must have at least one entry in matchLabels or matchExpressions; an empty selector would match everything`,
    holds: ({ matchLabels = {}, matchExpressions = [] }) =>
      Object.keys(matchLabels).length > 0 || matchExpressions.length > 0,
  };
}

/** A label selector that is not empty. `field` is what the refusal calls it. */
export function nonEmptySelector(field: string): typeof labelSelector {
  return withRules(labelSelector, selectsSomething(field));
}
