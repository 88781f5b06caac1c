import type { Clock, EpochMillis } from '../../kube/clock.ts';
import type { Decision } from '../../model/decision.ts';
import { doingsOf } from './doings.ts';

/** Something that Drover did or waits for, when it was first so. */
export interface Entry {
  readonly at: EpochMillis;
  readonly database: string;
  readonly kind: 'does' | 'waits';
  /** The code of the reason that it waits for; '' for what is done. */
  readonly code: string;
  readonly text: string;
}

/** So many are remembered of each database. */
const remembered = 30;

/** What Drover did and waited for, each thing told once, as it began. */
export class Chronicle {
  readonly #clock: Clock;
  readonly #onEntry: (entry: Entry) => void;
  readonly #entries = new Map<string, readonly Entry[]>();
  /** What the last decision about each database did and waited for. */
  readonly #present = new Map<string, ReadonlySet<string>>();

  constructor(clock: Clock, onEntry: (entry: Entry) => void) {
    this.#clock = clock;
    this.#onEntry = onEntry;
  }

  /** The last things that were done, oldest first. */
  done(database: string): readonly Entry[] {
    return (this.#entries.get(database) ?? []).filter(({ kind }) => kind === 'does');
  }

  note(database: string, decision: Decision): void {
    const now = new Map<string, Pick<Entry, 'kind' | 'code' | 'text'>>([
      ...doingsOf(decision).map((text) => [text, { kind: 'does', code: '', text }] as const),
      // A wait with a figure in it says something else every time; its code tells that it is the same one.
      ...decision.holds.map(({ group, reason: { code, message } }) => {
        return [`${group ?? ''} ${code}`, { kind: 'waits', code, text: message }] as const;
      }),
    ]);
    const before = this.#present.get(database);
    this.#present.set(database, new Set(now.keys()));
    for (const [key, what] of now)
      if (before?.has(key) !== true) this.#add({ at: this.#clock.now(), database, ...what });
  }

  #add(entry: Entry): void {
    const before = this.#entries.get(entry.database) ?? [];
    this.#entries.set(entry.database, [...before, entry].slice(-remembered));
    this.#onEntry(entry);
  }
}
