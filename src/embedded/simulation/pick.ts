import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';

/** One of them, by chance. */
export function pick<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[randomInteger(random, 0, choices.length)];
  if (chosen === undefined) throw new RangeError('there is nothing to choose from');
  return chosen;
}

/** The one of them that a number from 0 to 1 stands for; undefined: there is none. */
export const pickOf = <T>(all: readonly T[], number: number): T | undefined => all[Math.floor(number * all.length)];
