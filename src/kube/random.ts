/** All chance that Drover knows. The real one asks the machine; a seeded one makes a run repeatable. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

export const realRandom: Random = { next: () => Math.random() };

/** The same numbers for the same seed, on every machine (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}

/** A whole number in [low, high). */
export function randomInteger(random: Random, low: number, high: number): number {
  return low + Math.floor(random.next() * (high - low));
}
