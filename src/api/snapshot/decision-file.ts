import type { Decision } from '../../model/decision.ts';

/** Where a decision has a moment. In the model it is a number; in a file and in messages it is RFC 3339. */
const momentKeys: ReadonlySet<string> = new Set([
  'at',
  'wakeAt',
  'since',
  'until',
  'due',
  'grantedAt',
  'closedAt',
  'goneAt',
  'observedAt',
  'recoveredAt',
  'lastAsked',
  'removingAt',
  'estimatedEnd',
  'deadline',
]);

/** A decision as plain JSON, for programs and for the audit. */
export function writeDecision(decision: Decision): unknown {
  return withTimestamps({ ...decision, wakeAt: decision.wakeAt ?? null });
}

function withTimestamps(value: unknown, key = ''): unknown {
  if (typeof value === 'number')
    return momentKeys.has(key) ? new Date(value).toISOString().replace('.000Z', 'Z') : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withTimestamps(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTimestamps(member, name)]));
}
