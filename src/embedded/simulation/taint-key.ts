/** The taint that people set in a run, and that every spec of a run has an opinion about. */
export const taintKey = 'example.com/maintenance';

/** The taint by which somebody who takes machines away says that a node is about to go. */
export const leavingKey = 'example.com/leaving';
