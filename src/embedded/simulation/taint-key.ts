/** The taint that people set in a run, and that every spec of a run has an opinion about. */
export const taintKey = 'example.com/maintenance';
