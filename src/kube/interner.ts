/**
 * Makes equal strings and equal label sets the same object in memory. A hundred thousand pods share a few hundred of them.
 * Forgets what was not asked for during two generations, so a cluster with changing names does not grow without bound.
 */
export class Interner {
  readonly #strings: Generations<string>;
  readonly #labelSets: Generations<Readonly<Record<string, string>>>;

  constructor(size = 65_536) {
    this.#strings = new Generations(size);
    this.#labelSets = new Generations(size);
  }

  string(text: string): string {
    return this.#strings.keep(text, text);
  }

  labels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return this.#labelSets.keep(JSON.stringify(labels), labels);
  }
}

/** Two maps: when the young one is full it becomes the old one, and what nobody asked for since is gone. */
class Generations<T> {
  readonly #size: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  constructor(size: number) {
    this.#size = size;
  }

  keep(key: string, candidate: T): T {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const value = this.#old.get(key) ?? candidate;
    this.#young.set(key, value);
    return value;
  }
}
