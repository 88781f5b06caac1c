import type { ConditionDefinition } from './condition.schema.ts';

/** The conditions of an EvictionGuard. */
export const evictionGuardConditions = [
  {
    type: 'Locked',
    whenTrue: 'The API server refuses to evict any pod of a locked role, also while Drover is down.',
    whenFalse: 'Some pods are not covered by the lock; the reason says why.',
    reasons: {
      BudgetsInPlace: 'each locked role has its disruption budget',
      ForeignBudget: 'another disruption budget selects the same pods; the message names it',
      OverlappingGuard:
        'another guard or cluster selects the same pods; the message names it, and the older one keeps them',
      BudgetMissing: 'a disruption budget could not be made, or not kept as it should be; the message says why',
      NoPods: 'no pod matches the selectors',
    },
    alsoCodes: false,
  },
  {
    type: 'Healthy',
    whenTrue: 'The engine answers, and all of its processes respond.',
    whenFalse: 'The engine does not serve requests, or some processes do not respond.',
    reasons: {
      AllResponding: 'the engine answers, and all of its processes respond',
      ProcessesNotResponding: 'the message names the processes',
      EngineUnavailable: 'the engine answers, and does not serve requests',
      EngineUnreachable: 'the engine does not answer, or not with a whole answer; the status is Unknown then',
      NotAsked: 'the engine is not asked, because another guard or cluster has the pods; the status is Unknown then',
      InvalidSpec: 'the spec was accepted under older rules and breaks a present one; the message names the field',
    },
    alsoCodes: false,
  },
  {
    type: 'Blocked',
    whenTrue:
      'Someone wants a pod gone that may not go now. The reason is that of the one that has waited longest, and the message names it.',
    whenFalse: 'Nothing waits.',
    reasons: { NothingWaits: 'nobody waits for a pod to go' },
    alsoCodes: true,
  },
] as const satisfies readonly ConditionDefinition[];
export type EvictionGuardConditionType = (typeof evictionGuardConditions)[number]['type'];
