import type { ClusterSpec, DrainPolicy, LabelExpression, UnitPolicy } from '../model/cluster-spec.ts';
import type { Unit } from '../model/topology.ts';

/** What a policy asks of a process that leaves, and what Drover moves by itself. */
export interface PolicyRules {
  readonly holds: 'nothing' | 'last' | 'last-running' | 'every';
  readonly moves: 'nothing' | 'last' | 'every';
}

/** The five policies (design 6.2). */
export const policyRules: { readonly [policy in DrainPolicy]: PolicyRules } = {
  'block-if-contains-last-replica': { holds: 'last', moves: 'nothing' },
  'allow-if-replica-is-stopped': { holds: 'last-running', moves: 'nothing' },
  'always-allow': { holds: 'nothing', moves: 'nothing' },
  'block-for-eviction': { holds: 'every', moves: 'every' },
  'block-for-eviction-if-contains-last-replica': { holds: 'last', moves: 'last' },
};

/** The policy of a unit: the first of `unitPolicies` that matches it by name and by all labels, else the cluster's. */
export function policyOf(unit: Unit, { unitPolicies, drainPolicy }: ClusterSpec): DrainPolicy {
  for (const policy of unitPolicies) if (matches(policy, unit)) return policy.drainPolicy;
  return drainPolicy;
}

function matches({ matchLabels, matchExpressions = [], names }: UnitPolicy, { id, name, labels }: Unit): boolean {
  return (
    (names === undefined || names.includes(id) || names.includes(name)) &&
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => holds[expression.operator](labels[expression.key], expression.values))
  );
}

/** Kubernetes' four operators. A label that is not there is in no set. */
const holds: {
  readonly [operator in LabelExpression['operator']]: (label: string | undefined, values: readonly string[]) => boolean;
} = {
  In: (label, values) => label !== undefined && values.includes(label),
  NotIn: (label, values) => label === undefined || !values.includes(label),
  Exists: (label) => label !== undefined,
  DoesNotExist: (label) => label === undefined,
};

/** Whether data may always go, whatever units there are: then it does not matter which ones are held. */
export const dataMayAlwaysGo = ({ unitPolicies, drainPolicy }: ClusterSpec): boolean =>
  [{ drainPolicy }, ...unitPolicies].every((policy) => policyRules[policy.drainPolicy].holds === 'nothing');
