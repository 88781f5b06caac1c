import type { Stage } from '../stage.ts';

/** One thing that happens in the story. */
export interface Act {
  /** For programs: `drain`. */
  readonly name: string;
  /** The headline. */
  readonly title: string;
  /** Plays it to its end and leaves the world at rest. Rejects with `ActFailed` where it did not turn out as it must. Says what it proved. */
  readonly play: (stage: Stage) => Promise<string>;
}
