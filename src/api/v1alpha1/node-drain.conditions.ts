import type { ConditionDefinition } from './condition.schema.ts';

/** The conditions of a NodeDrain. */
export const nodeDrainConditions = [
  {
    type: 'Completed',
    whenTrue: 'Every node is drained.',
    whenFalse: 'Some nodes still have pods that should go.',
    reasons: {
      AllDrained: 'every node is drained',
      Draining: 'pods are still leaving',
      NoNodes: 'no node has one of the names, or the labels; the message says which',
      NodesUnreadable: 'Drover cannot read nodes, and does nothing until it can; the message says what to grant',
      InvalidSpec: 'the spec breaks a rule, and nothing is done about it; the message says which',
      Cancelled: 'the NodeDrain was deleted before it was done',
    },
    alsoCodes: false,
  },
  {
    type: 'Blocked',
    whenTrue:
      'At least one pod may not go now. The reason is that of the one that has waited longest, and the message names it.',
    whenFalse: 'Nothing waits.',
    reasons: {
      NothingWaits: 'no pod waits',
      NodesUnreadable:
        'Drover cannot read nodes, or may not change them, and nothing goes until it can; the message says what to grant',
    },
    alsoCodes: true,
  },
  {
    type: 'DeadlineAtRisk',
    whenTrue:
      'By the present estimate the drain will not be done by spec.deadline. The message says what is late. Nothing is forced.',
    whenFalse: 'The drain should be done by spec.deadline, or there is none.',
    reasons: {
      TooSlow: 'the work should end after the deadline',
      CannotEnd: 'something may never go; the message names it',
      DeadlinePassed: 'the deadline is over and the drain is not',
      NotKnown: 'when it ends is not known; the message names what has no end yet',
      OnTime: 'the estimate ends before the deadline',
      NoDeadline: 'spec.deadline is not set',
    },
    alsoCodes: false,
  },
] as const satisfies readonly ConditionDefinition[];
export type NodeDrainConditionType = (typeof nodeDrainConditions)[number]['type'];
