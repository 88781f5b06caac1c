import type { KeyText } from '../../kube/object.ts';
import type { ProcessGroupId, Uid } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

/** What was done and is to be written down with the next status. */
export interface Noted {
  readonly jobs: readonly Job[];
  readonly closedAt: ReadonlyMap<Uid, Instant>;
}

const nothing: Noted = { jobs: [], closedAt: new Map() };

/**
 * What only the one who did it knows, until it is written down: whom the engine has forgotten, which pods were locked again. Lost with the process,
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

  /** The engine has forgotten the process group. */
  forgotten(key: KeyText, group: ProcessGroupId, since: Instant): void {
    const unmeasured = { attempts: 1, retryAt: null, message: '', percent: null, secondsLeft: null };
    const { jobs, closedAt } = this.of(key);
    const job: Job = { ...unmeasured, verb: 'Forget', group, state: 'Done', since };
    this.#noted.set(key, { jobs: [...jobs.filter((one) => one.group !== group), job], closedAt });
  }

  /** The pod is locked again. */
  closed(key: KeyText, pod: Uid, at: Instant): void {
    const { jobs, closedAt } = this.of(key);
    this.#noted.set(key, { jobs, closedAt: new Map([...closedAt, [pod, at]]) });
  }

  /** They are written down, or nobody needs them any more. */
  forget(key: KeyText): void {
    this.#noted.delete(key);
  }
}

/**
 * What the engine was told, by the record and by what is noted since: for each process group what came last. Whatever is told again and again, as while
 * a clock that was set back has not caught up, must not fill the status, which could not be written then at all.
 */
export const jobsTold = (recorded: readonly Job[], { jobs }: Pick<Noted, 'jobs'>): readonly Job[] => [
  ...new Map([...recorded, ...jobs].map((job) => [`${job.verb} ${job.group}`, job])).values(),
];
