import type { Job } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { Target } from './engine.ts';
import { EngineRefused } from './engine.ts';
import { retryAt } from './retry-at.ts';

/**
 * What an engine said no to. It leaves no trace there, so that nobody would know why nothing happens: here it is a job that failed, until the same is
 * asked again with success.
 */
export class RefusedVerbs {
  readonly #refused = new Map<string, Job>();

  /** Asks the engine, and remembers what comes of it. */
  async heed(verb: Job['verb'], { group }: Target, now: () => Instant, ask: () => Promise<void>): Promise<void> {
    const key = `${verb} ${group}`;
    try {
      await ask();
      this.#refused.delete(key);
    } catch (error) {
      if (error instanceof EngineRefused) this.#note(key, { verb, group, since: now(), message: error.message });
      throw error;
    }
  }

  #note(key: string, said: Pick<Job, 'verb' | 'group' | 'since' | 'message'>): void {
    const attempts = (this.#refused.get(key)?.attempts ?? 0) + 1;
    const due = retryAt(said.since, attempts);
    this.#refused.set(key, { ...said, state: 'Failed', attempts, retryAt: due, percent: null, secondsLeft: null });
  }

  /** Those that anyone may still want to know of: what nobody asks for any more is forgotten an hour later. */
  jobs(now: Instant): readonly Job[] {
    for (const [key, { since }] of this.#refused) if (now - since > 3_600_000) this.#refused.delete(key);
    return [...this.#refused.values()];
  }
}
