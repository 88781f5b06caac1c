import { seconds } from '../../../kube/clock.ts';
import { randomInteger } from '../../../kube/random.ts';
import type { ProcessId } from '../../../model/ids.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import type { StoreState } from './store-state.ts';

/** Something long that the store was told to do, as it reports it. */
export interface StoreJob {
  readonly id: string;
  readonly verb: 'HandOff' | 'Evacuate';
  readonly process: ProcessId;
  readonly state: 'Running' | 'Done' | 'Failed' | 'Cancelled';
  readonly since: Instant;
  /** Why it failed, in the store's words. */
  readonly message: string;
}

/** Old ones are forgotten, as stores do. */
const remembered = 50;

/** The jobs of the store, oldest first. Whether one will fail is drawn when it begins, and it fails some time later. */
export class Jobs {
  readonly #state: StoreState;
  #jobs: readonly StoreJob[] = [];
  #count = 0;

  constructor(state: StoreState) {
    this.#state = state;
  }

  list(): readonly StoreJob[] {
    return this.#jobs;
  }

  running(verb: StoreJob['verb'], process: ProcessId): StoreJob | undefined {
    return this.#jobs.find((job) => job.state === 'Running' && job.verb === verb && job.process === process);
  }

  /** `onFailure` undoes what the job had begun. */
  begin(verb: StoreJob['verb'], process: ProcessId, onFailure: () => void): StoreJob {
    const { agenda, happen, options } = this.#state;
    this.#count += 1;
    const since = instant(options.clock.now());
    const job: StoreJob = { id: `job-${this.#count}`, verb, process, state: 'Running', since, message: '' };
    this.#jobs = [...this.#jobs, job].slice(-remembered);
    if (options.random.next() < options.jobFailures) {
      agenda.set(`fail ${job.id}`, seconds(randomInteger(options.random, 2, 60)), () =>
        happen(() => {
          if (this.running(verb, process)?.id !== job.id) return;
          this.#end(job, 'Failed', `${verb} of ${process} was aborted: a precondition no longer held`);
          onFailure();
        }),
      );
    }
    return job;
  }

  /** The running job of this kind, if any, is over. */
  end(verb: StoreJob['verb'], process: ProcessId, state: 'Done' | 'Failed' | 'Cancelled', message = ''): void {
    const job = this.running(verb, process);
    if (job !== undefined) this.#end(job, state, message);
  }

  #end(job: StoreJob, state: StoreJob['state'], message: string): void {
    this.#state.agenda.cancel(`fail ${job.id}`);
    this.#jobs = this.#jobs.map((other) => (other.id === job.id ? { ...other, state, message } : other));
  }
}
