import { reasons } from '../../model/reasons.ts';

const heavy: ReadonlySet<string> = new Set([
  reasons.neverEvicted.code,
  reasons.lastReplica.code,
  reasons.quorumAtRisk.code,
  reasons.unplaceable.code,
]);

const light: ReadonlySet<string> = new Set([
  reasons.failureTooYoung.code,
  reasons.unschedulable.code,
  reasons.draining.code,
  reasons.notDrained.code,
  reasons.leadsUnits.code,
  reasons.processesMissing.code,
  reasons.successorComing.code,
  reasons.notListedYet.code,
  reasons.successorNotUp.code,
  reasons.objectTerminating.code,
  reasons.stuckTerminating.code,
  reasons.nodesUnreadable.code,
  reasons.manyGenerations.code,
]);

/** It comes with every move and goes by itself within moments. */
export const isAside = (code: string): boolean => light.has(code);

/** Puts those first that a person must know of, where there is little room: what would be lost, and what never ends by itself. */
export const byWeight = (a: string, b: string): number => weightOf(b) - weightOf(a);

const weightOf = (code: string): number => (heavy.has(code) ? 2 : light.has(code) ? 0 : 1);
