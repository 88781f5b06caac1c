import type { FdbParts } from '../fdb-parts.ts';
import type { Output } from './output.ts';

/** What a command works with. */
export interface CommandContext {
  /** As they are at this moment: a command that waits asks again. */
  readonly parts: () => FdbParts;
  readonly out: Output;
  /** Aborted when the time is up. A command that has waited looks at it before it goes on. */
  readonly signal: AbortSignal;
  /** The client finds the coordinators, and a majority of them answers. */
  readonly reaches: () => boolean;
  /** Resolves when the database can commit, or when the time is up. */
  readonly untilUp: () => Promise<void>;
}

/** One command of fdbcli. Resolves with false where fdbcli ends with exit code 1. The texts are those of `fdbcli/*Command.actor.cpp` (7.3). */
export type Command = (words: readonly string[], context: CommandContext) => Promise<boolean>;
