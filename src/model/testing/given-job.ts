import { name } from '../ids.ts';
import type { Job } from '../snapshot.ts';
import { at } from './given.ts';

/** Something that the engine was told a minute ago to do about this process group, and does. */
export const givenJob = (group: string, given: Partial<Job> = {}): Job => ({
  verb: 'Evacuate',
  state: 'Running',
  since: at(-60),
  attempts: 1,
  retryAt: null,
  message: '',
  percent: null,
  secondsLeft: null,
  ...given,
  group: name(group),
});
