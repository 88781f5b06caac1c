/** Progress is told in steps of so many percent, or every reading of the engine would be a write. */
const step = 5;

export const inPercentSteps = (percent: number): number => Math.floor(percent / step) * step;
