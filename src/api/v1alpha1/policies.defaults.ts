import type { DrainPolicy } from '../../model/cluster-spec.ts';
import type { Trigger } from './policies.schema.ts';

interface Policies {
  readonly trigger: Trigger | null;
  readonly drainPolicy: DrainPolicy;
}

/** What starts the work of leaving. Longhorn's two evicting policies begin at the cordon, and so do ours. */
export function effectiveTrigger({ trigger, drainPolicy }: Policies): Trigger {
  if (trigger !== null) return trigger;
  const evicts = drainPolicy === 'block-for-eviction' || drainPolicy === 'block-for-eviction-if-contains-last-replica';
  return evicts ? 'Cordon' : 'Eviction';
}
