import type { ScenarioName } from '../../src/embedded/simulation/scenarios.ts';

/** A mistake that somebody could make: a place in a file, the right text and the wrong one; and where one more check would catch it, that too. */
export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  readonly also?: { readonly right: string; readonly wrong: string };
  /** Where it can only show with the controllers, in which scenario. Default: it is looked for in the core alone. */
  readonly scenario?: ScenarioName;
  /** A seed that found it once, which is played before the others. It need not for ever: every change of what is drawn or done moves it. */
  readonly seed?: number;
}

/** The file with the bug in it. Throws where a right text is not there exactly once: then the bug has to be planted anew. */
export function applied(bug: PlantedBug, source: string): string {
  return [bug, ...(bug.also === undefined ? [] : [bug.also])].reduce((text, { right, wrong }) => {
    const parts = text.split(right);
    if (parts.length !== 2)
      throw new Error(`"${bug.name}" cannot be planted: ${bug.file} has its place ${parts.length - 1} times`);
    return parts.join(wrong);
  }, source);
}
