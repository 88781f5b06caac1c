import type { Millis } from './clock.ts';

/** What the workers are busy with at this moment. */
export interface RunningWork {
  /** The ages of everything that is in process, added up. */
  readonly unfinished: Millis;
  /** The age of what has been in process the longest; zero when nothing is. */
  readonly longest: Millis;
}

/**
 * What a work queue tells about itself, so that an adapter can name it as client-go names its own. All durations are monotonic.
 * What an implementation throws is dropped: measuring may never stop the work.
 */
export interface WorkQueueMetrics {
  /** Keys that wait, also those that were added again while in process. client-go: `workqueue_depth` */
  depth(waiting: number): void;
  /** A key that was not waiting yet was added. client-go: `workqueue_adds_total` */
  added(): void;
  /** A key was handed out this long after it was added. client-go: `workqueue_queue_duration_seconds` */
  waited(time: Millis): void;
  /** A key is done this long after it was handed out. client-go: `workqueue_work_duration_seconds` */
  worked(time: Millis): void;
  /** A key was added with a delay. client-go: `workqueue_retries_total` */
  retried(): void;
  /**
   * Called once, with what to call at each scrape. client-go: `workqueue_unfinished_work_seconds` and
   * `workqueue_longest_running_processor_seconds`, which it has a ticker for; a quiet queue of ours has no timer.
   */
  running(read: () => RunningWork): void;
}
