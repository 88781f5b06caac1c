import type { Entry } from './chronicle.ts';
import type { ActOutcome } from './outcome.ts';

/** `plan`: what is about to happen. `why`: why Drover does what it does. `result`: what came of it. */
export interface Line {
  readonly kind: 'plan' | 'why' | 'result';
  readonly text: string;
}

/** Whom the story is told to. */
export interface Audience {
  /** An act begins; counted from 1. */
  onAct(title: string, number: number, of: number): void;
  tell(line: Line): void;
  /** Drover does something, or waits for something. */
  onEntry(entry: Entry): void;
  /** jane's kubectl prints a line. */
  onKubectl(line: string): void;
  onOutcome(outcome: ActOutcome): void;
  /** Resolves when there was time to read what was told last. */
  breathe(): Promise<void>;
}

/** Nobody listens: programs want the outcome only. */
export const nobody: Audience = {
  onAct() {},
  tell() {},
  onEntry() {},
  onKubectl() {},
  onOutcome() {},
  breathe: async () => {},
};
