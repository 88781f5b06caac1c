import type { ProcessGroup } from '../model/process-group.ts';
import { newestJob } from './newest-job.ts';
import type { Survey } from './survey.ts';

/**
 * The last that the engine is known to have taken is that the process group keeps its data. Until it is told to empty it once more, what it still shows
 * of the emptying before proves nothing: it may have heard and not done it yet, or speak of a process that it does not miss yet.
 */
export const lastWordIsToKeep = ({ snapshot }: Survey, { id, evacuationAt }: ProcessGroup): boolean =>
  evacuationAt !== null && newestJob(snapshot, id, 'CancelEvacuation', ({ state }) => state !== 'Failed') !== undefined;
