import type { LabelSelector } from './resources.ts';

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

type Holds = (value: string | undefined, values: readonly string[]) => boolean;

/** Kubernetes' operators. `NotIn` also holds where there is no such label. */
const operators: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ['In', (value, values) => value !== undefined && values.includes(value)],
  ['NotIn', (value, values) => value === undefined || !values.includes(value)],
  ['Exists', (value) => value !== undefined],
  ['DoesNotExist', (value) => value === undefined],
]);

/** Whether a selector, as objects hold it, selects these labels. An empty one selects everything; an operator that nobody knows selects nothing. */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => operators.get(operator)?.(labels[key], values) === true)
  );
}
