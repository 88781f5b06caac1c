import type { Outcome } from './run-seed.ts';
import { runSeed } from './run-seed.ts';
import type { RunPlan } from './scenarios.ts';
import { onlyHappenings } from './scenarios.ts';

/** What is left of a run that breaks an invariant when everything is taken out that it does not take. */
export interface Shrunk {
  /** The places of the happenings that it takes, in the whole plan. */
  readonly places: readonly number[];
  readonly outcome: Outcome;
}

/** So many runs are tried at most. */
const mostTries = 60;

/**
 * Plays a run again and again with fewer happenings, as long as the same invariant breaks: first without half of them, then a quarter, and in the end
 * one by one (delta debugging). The result is as short as these tries can tell.
 */
export async function shrink(plan: RunPlan, failed: Outcome): Promise<Shrunk> {
  let best: Shrunk = { places: [...failed.happened], outcome: failed };
  let tries = 0;
  const breaks = async (places: readonly number[]): Promise<boolean> => {
    tries += 1;
    const outcome = await runSeed(onlyHappenings(plan, places));
    if (outcome.violation?.invariant !== failed.violation?.invariant) return false;
    best = { places, outcome };
    return true;
  };
  // Those that never struck are left out first; if that matters, a draw was made for them.
  if (!(await breaks(best.places))) best = { places: plan.happenings.map((_, place) => place), outcome: failed };
  const mayTry = () => tries < mostTries;
  for (let chunk = Math.ceil(best.places.length / 2); chunk >= 1 && mayTry(); ) {
    const isShorter = await dropOne(best.places, chunk, breaks, mayTry);
    if (!isShorter) chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2);
    else chunk = Math.min(chunk, best.places.length);
  }
  return best;
}

/** Tries to do without each chunk in turn; true as soon as one can be spared. */
async function dropOne(
  places: readonly number[],
  chunk: number,
  breaks: (places: readonly number[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<boolean> {
  for (let start = 0; start < places.length && mayTry(); start += chunk) {
    const rest = places.filter((_, index) => index < start || index >= start + chunk);
    if (await breaks(rest)) return true;
  }
  return false;
}
