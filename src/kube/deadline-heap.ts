import type { MonotonicMillis } from './clock.ts';

interface Entry<Key> {
  readonly key: Key;
  due: MonotonicMillis;
  order: number;
  index: number;
}

/** Keys with a due time each: a key is in it once, with the earliest due time that it was ever given. Equal times come out as they went in. */
export class DeadlineHeap<Key> {
  readonly #entries = new Map<Key, Entry<Key>>();
  readonly #heap: Entry<Key>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the next key is due, or undefined without one. */
  get next(): MonotonicMillis | undefined {
    return this.#heap[0]?.due;
  }

  /** A later time than the one that the key has already changes nothing. */
  add(key: Key, due: MonotonicMillis): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (due >= known.due) return;
      known.due = due;
      known.order = this.#order++;
      this.#rise(known);
      return;
    }
    const entry = { key, due, order: this.#order++, index: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#rise(entry);
  }

  /** Takes out one key that is due by `now`: the one that has been due the longest. */
  take(now: MonotonicMillis): { readonly key: Key } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.due > now) return undefined;
    this.remove(first.key);
    return first;
  }

  /** The key is not due any more. Harmless for one that is not in it. */
  remove(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  clear(): void {
    this.#entries.clear();
    this.#heap.length = 0;
  }

  #rise(entry: Entry<Key>): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (parent === undefined || before(parent, entry)) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: Entry<Key>): void {
    for (;;) {
      const left = this.#heap[entry.index * 2 + 1];
      const right = this.#heap[entry.index * 2 + 2];
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left;
      if (child === undefined || before(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(upper: Entry<Key>, lower: Entry<Key>): void {
    const { index } = lower;
    this.#place(lower, upper.index);
    this.#place(upper, index);
  }

  #place(entry: Entry<Key>, index: number): void {
    entry.index = index;
    this.#heap[index] = entry;
  }
}

function before<Key>(one: Entry<Key>, other: Entry<Key>): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}
