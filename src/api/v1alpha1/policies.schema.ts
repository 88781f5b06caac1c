import { z } from 'zod';
import { drainPolicies } from '../../model/cluster-spec.ts';
import type { PredicateName } from '../../model/role-rules.ts';
import { listOf, setOf } from '../field-types.ts';
import { withRules } from '../rule.ts';
import { labelSelectorMembers } from './label-selector.schema.ts';
import { givenName } from './names.schema.ts';

const whatPoliciesMean =
  'block-if-contains-last-replica: it may go when it holds no last healthy replica. ' +
  'allow-if-replica-is-stopped: the same, but only running replicas hold it. ' +
  'always-allow: data never holds it. ' +
  'block-for-eviction: it may go when it holds no replica at all; Drover moves every one away. ' +
  'block-for-eviction-if-contains-last-replica: Drover moves the last ones away, the others do not hold it.';

/** What data must be elsewhere before a process may go. */
export const drainPolicySchema = z.enum(drainPolicies);

/** The field `spec.drainPolicy` of both kinds that guard pods. */
export const drainPolicyField = drainPolicySchema
  .default('block-if-contains-last-replica')
  .describe(
    `What data must be elsewhere before a process may go. The role's own rule is asked too, and the stricter answer stands. Default block-if-contains-last-replica. ${whatPoliciesMean}`,
  );

/** What starts the work of leaving. */
export const triggers = ['Eviction', 'Cordon'] as const;
export type Trigger = (typeof triggers)[number];

/** The field `spec.trigger`. */
export const triggerField = z
  .enum(triggers)
  .nullable()
  .default(null)
  .describe(
    'When the work of leaving starts. Eviction: when someone evicts a pod, or another one of its cordoned node, or a NodeDrain asks for it. Cordon: as soon as the node is cordoned. null: Cordon if drainPolicy is one of the two block-for-eviction policies, else Eviction.',
  );

const unitSelector = withRules(
  z
    .object({
      names: setOf(givenName, 100)
        .optional()
        .describe("The units' names as the engine gives them: volume, shard or slot range."),
      ...labelSelectorMembers,
    })
    .meta({ 'x-kubernetes-map-type': 'atomic' }),
  {
    cel: '(has(self.names) && size(self.names) > 0) || (has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
    message:
      'selector must have at least one entry in names, matchLabels or matchExpressions; use spec.drainPolicy for all units',
    holds: ({ names = [], matchLabels = {}, matchExpressions = [] }) =>
      names.length > 0 || Object.keys(matchLabels).length > 0 || matchExpressions.length > 0,
  },
);

/** The field `spec.unitPolicies`. */
export const unitPoliciesField = listOf(
  z.object({
    selector: unitSelector.describe('Which units: by name, by label, or both, and then both must match.'),
    drainPolicy: drainPolicySchema.describe(
      `The policy for these units, in place of spec.drainPolicy. ${whatPoliciesMean}`,
    ),
  }),
  50,
)
  .default([])
  .describe(
    'Another drain policy for some units of data: a volume, a shard. The first entry whose selector matches a unit wins; units that none matches follow spec.drainPolicy. Default none.',
  );

/** The policy on a role's data: does it come back with the pod, on another node? */
export const dataTravelsField = z
  .enum(['auto', 'always', 'never'])
  .default('auto')
  .describe(
    "Whether a pod's data comes back with it on another node. auto: read from the persistent volume (local, hostPath or bound to one host: no; not readable: no). always: it travels, so a drain hands off and recreates instead of moving data. never: it is lost with its node. Default auto.",
  );

/** The predicates by which a spec may tighten a role's eviction rule. */
export const evictionPredicates = [
  'drained',
  'leads-no-unit',
  'led-units-have-in-sync-follower',
  'not-quorum-leader',
  'leader-responds',
  'other-follower-responds',
  'follower',
  'quorum-survives',
  'never',
] as const satisfies readonly PredicateName[];
export type EvictionPredicate = (typeof evictionPredicates)[number];

/** The field `roles[].evictionRequires` of both kinds that guard pods. */
export const evictionRequiresField = setOf(z.enum(evictionPredicates), evictionPredicates.length)
  .default([])
  .describe(
    "What must hold, besides the engine's own rule for this role, before a process of it may be evicted. It can only make the rule stricter; never means that no process of this role may be evicted. Default nothing more.",
  );
