import type { Decision } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Who watches a controller at work: a simulation that judges it. What it does is not changed by that. */
export interface RoundWitness {
  /** A look at a cluster begins. The result is called when all that came of it is done, or failed. */
  looks(): () => void;
  /** Something was decided, and nothing of it is recorded or done yet. */
  decided(snapshot: Snapshot, decision: Decision): void;
}
