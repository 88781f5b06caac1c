import type { KeyText } from '../../kube/object.ts';
import type { Action } from '../../model/decision.ts';
import type { Uid } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { jobFor, jobsTold } from './jobs-told.ts';

/** What was done and is to be written down with the next status. */
export interface Noted {
  readonly jobs: readonly Job[];
  readonly closedAt: ReadonlyMap<Uid, Instant>;
}

const nothing: Noted = { jobs: [], closedAt: new Map() };

/**
 * What only the one who did it knows, until it is written down: what the engine was told and lists nothing of, which pods were locked again, which ones a budget held. Lost with the process,
 * it is done once more, which does no harm.
 */
export class Notes {
  readonly #noted = new Map<KeyText, Noted>();

  of(key: KeyText): Noted {
    return this.#noted.get(key) ?? nothing;
  }

  /** How many there are. */
  size(key: KeyText): number {
    const { jobs, closedAt } = this.of(key);
    return jobs.length + closedAt.size;
  }

  /** An action was carried out that was decided at this moment. */
  done(key: KeyText, action: Action, at: Instant): void {
    const { jobs, closedAt } = this.of(key);
    if (action.act === 'close') this.#noted.set(key, { jobs, closedAt: new Map([...closedAt, [action.pod.uid, at]]) });
    const job = jobFor(action, at);
    if (job !== undefined) this.told(key, job);
  }

  /** Something was told, or was to be. */
  told(key: KeyText, job: Job): void {
    const { jobs, closedAt } = this.of(key);
    this.#noted.set(key, { jobs: jobsTold(jobs, [job]), closedAt });
  }

  /** They are written down, or nobody needs them any more. */
  forget(key: KeyText): void {
    this.#noted.delete(key);
  }
}
