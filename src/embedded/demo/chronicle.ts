import type { EpochMillis } from '../../kube/clock.ts';
import { epochMillis } from '../../kube/clock.ts';
import type { JsonObject } from '../api-server/json.ts';
import { textAt } from '../api-server/json.ts';
import type { Store } from '../api-server/store.ts';

/** Something that Drover did or waits for, when it began. */
export interface Entry {
  readonly at: EpochMillis;
  readonly database: string;
  readonly kind: 'does' | 'waits';
  /** The code of the reason. */
  readonly code: string;
  readonly text: string;
}

/** So many are remembered of each database. */
const remembered = 30;
/** What an event says was done, where nothing was: it waits, or it is refused. */
const waiting: ReadonlySet<string> = new Set(['Wait', 'Refuse']);

/** What was done, where the sentence is about why. */
const deeds: Readonly<Record<string, string>> = { HandOff: 'hand-off: ', Reseat: 'change of seats: ' };

/** What Drover did and waited for, as it tells in events. */
export class Chronicle {
  readonly #store: Store;
  readonly #onEntry: (entry: Entry) => void;
  readonly #entries = new Map<string, readonly Entry[]>();

  constructor(store: Store, onEntry: (entry: Entry) => void) {
    this.#store = store;
    this.#onEntry = onEntry;
  }

  /** Hears of everything from now on. */
  listen(): void {
    this.#store.collection('events').listen(({ type, stored: { object } }) => {
      if (type !== 'DELETED' && textAt(object, 'reportingComponent') === 'drover.dev/operator')
        this.#note(entryOf(object));
    });
  }

  /** The last things that were done, oldest first. */
  done(database: string): readonly Entry[] {
    return (this.#entries.get(database) ?? []).filter(({ kind }) => kind === 'does');
  }

  #note(entry: Entry): void {
    const before = this.#entries.get(entry.database) ?? [];
    // Several steps of one thing have one sentence.
    if (before.some(({ at, text }) => at === entry.at && text === entry.text)) return;
    this.#entries.set(entry.database, [...before, entry].slice(-remembered));
    this.#onEntry(entry);
  }
}

/** An event as the API server keeps it. */
const entryOf = (event: JsonObject): Entry => ({
  at: epochMillis(Date.parse(textAt(event, 'series', 'lastObservedTime') || textAt(event, 'eventTime'))),
  database: textAt(event, 'metadata', 'namespace'),
  kind: waiting.has(textAt(event, 'action')) ? 'waits' : 'does',
  code: textAt(event, 'reason'),
  text: `${deeds[textAt(event, 'action')] ?? ''}${textAt(event, 'message')}`,
});
