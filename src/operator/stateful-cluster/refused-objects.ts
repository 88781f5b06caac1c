import { KubeApiError, wordsOf } from '../../kube/errors.ts';
import type { KeyText } from '../../kube/object.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { Cluster } from './cluster.ts';

/** A policy, a quota, a webhook or the API server itself does not take the object as it is. To send it again at once changes nothing. */
export const isRefusal = (error: unknown): error is KubeApiError =>
  error instanceof KubeApiError && [400, 403, 413, 422].includes(error.status);

/** The namespace has no room, which may be otherwise in a moment. */
export const isWantOfRoom = ({ message }: KubeApiError): boolean => message.includes('exceeded quota');

/**
 * Objects that the API server refused: it lists nothing of them, so that nobody would know why they are not there. Each is a job that failed, until it
 * is made or the spec is another one. Lost with the process, it is tried once more, which does no harm.
 */
export class RefusedObjects {
  readonly #refused = new Map<KeyText, { readonly generation: number; readonly jobs: Map<ProcessGroupId, Job> }>();

  of({ key, generation }: Cluster): readonly Job[] {
    const known = this.#refused.get(key);
    return known === undefined || known.generation !== generation ? [] : [...known.jobs.values()];
  }

  note(cluster: Cluster, group: ProcessGroupId, error: KubeApiError, since: Instant): void {
    const { key, generation } = cluster;
    const jobs = new Map(this.of(cluster).map((job) => [job.group, job]));
    const known = jobs.get(group);
    const message = wordsOf(error);
    // It is tried with every look: what is no news must not be a write.
    if (isWantOfRoom(error) && known?.message === message) return;
    const attempts = (known?.attempts ?? 0) + 1;
    const due = isWantOfRoom(error) ? null : retryAt(since, attempts);
    const unmeasured = { percent: null, secondsLeft: null };
    jobs.set(group, { ...unmeasured, verb: 'Create', group, state: 'Failed', since, attempts, retryAt: due, message });
    this.#refused.set(key, { generation, jobs });
  }

  /** What was refused is there, or is not wanted any more. */
  clear({ key }: Pick<Cluster, 'key'>, group: ProcessGroupId): void {
    this.#refused.get(key)?.jobs.delete(group);
  }

  leave(key: KeyText): void {
    this.#refused.delete(key);
  }
}

/** After ten seconds, then twice as long each time, up to two minutes: whoever lets it in wants to see that it was enough. */
const retryAt = (since: Instant, attempts: number): Instant =>
  instant(since + Math.min(10_000 * 2 ** Math.min(attempts - 1, 10), 120_000));
