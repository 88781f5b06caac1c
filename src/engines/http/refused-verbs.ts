import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { Target } from '../engine.ts';
import type { ContractVerb } from './contract.ts';
import { jobVerbs, retryAt } from './jobs.ts';

/**
 * What the server said no to. It leaves no job there, so that nobody would know why nothing happens: here it is a job that failed, until the same is
 * asked again with success.
 */
export class RefusedVerbs {
  readonly #refused = new Map<string, Job>();

  note(verb: ContractVerb, { group }: Target, now: Instant, message: string): void {
    const known = jobVerbs[verb];
    if (known === undefined) return;
    const key = `${verb} ${group}`;
    const attempts = (this.#refused.get(key)?.attempts ?? 0) + 1;
    const due = retryAt(now, attempts);
    this.#refused.set(key, {
      verb: known,
      group,
      state: 'Failed',
      since: now,
      attempts,
      retryAt: due,
      message,
      percent: null,
      secondsLeft: null,
    });
  }

  forget(verb: ContractVerb, { group }: Target): void {
    this.#refused.delete(`${verb} ${group}`);
  }

  /** Those that anyone may still want to know of: what nobody asks for any more is forgotten an hour later. */
  jobs(now: Instant): readonly Job[] {
    for (const [key, { since }] of this.#refused) if (now - since > 3_600_000) this.#refused.delete(key);
    return [...this.#refused.values()];
  }
}
