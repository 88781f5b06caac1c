import { backoffDelay } from './backoff.ts';
import { BoundedMap } from './bounded-map.ts';
import type { KubeClient } from './client.ts';
import type { Clock, Millis, Timer } from './clock.ts';
import { elapsed, minutes, seconds, sleep } from './clock.ts';
import { ConnectionLost, isAlreadyExists, isNotFound, isOutcomeUnknown, KubeApiError } from './errors.ts';
import type { EventRecord } from './event-series.ts';
import { EventSeries, objectKey, seriesKey } from './event-series.ts';
import { Fifo } from './fifo.ts';
import { endsInTime } from './grace.ts';
import { harmlessly } from './harmlessly.ts';
import type { Random } from './random.ts';
import { events } from './resources.ts';
import { SpamGuard } from './spam-guard.ts';

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Who reports: a qualified name such as `example.dev/controller`. */
  readonly controller: string;
  /** Which of its instances: the name of the pod. */
  readonly instance: string;
  /** How many events may wait to be written. @default 5000 */
  readonly queue?: number;
  /** Hears of every event that was written. */
  readonly onWritten?: () => void;
  /** Hears of every event that will not be written, and why. */
  readonly onDropped?: (why: EventLoss, error?: unknown) => void;
  /** Hears of every failed try. */
  readonly onTrouble?: (error: unknown) => void;
}

/**
 * `full`: the oldest of too many. `spam`: too many about one object for one reason. `refused`: the API server will not have it, or did not answer five
 * times. `closed`: the recorder was closed before it was written. `defect`: what was recorded makes no event.
 */
export type EventLoss = 'full' | 'spam' | 'refused' | 'closed' | 'defect';

/** After this long without another one a series is over; the next is a new event. */
const seriesEnds = minutes(10);
/** A series is written when it begins (at the second event), then at most this often, and when it is over. */
const seriesInterval = minutes(5);
const sweepInterval = minutes(1);
/**
 * client-go's spam filter: 25 new events at once, then one every 5 minutes; but for each reason by itself. An object that stands for hundreds of
 * parts has more to tell than 25 things, and what is rare must not be lost behind what is frequent.
 */
const spamLimit = { burst: 25, perSecond: 1 / 300 };
const tries = 5;
/** One that the API server takes long over, or refuses for a while, does not hold up the others. */
const atOnce = 4;
const retry = { first: seconds(1), most: seconds(30), factor: 2, jitter: 0.5 };

/**
 * Writes events of `events.k8s.io/v1`, behind the back of whoever records them: `record` never throws and never waits. Equal events within
 * 10 minutes become one with a count. What cannot be written, because it is too much or because the API server will not have it, is
 * dropped and told to the hooks; nothing else ever comes of it, since no decision may depend on an event.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #series = new BoundedMap<string, EventSeries>(4096);
  readonly #spam: SpamGuard;
  readonly #waiting = new Fifo<EventSeries>();
  readonly #giveUp = new AbortController();
  /** Those that are being written now, and whether more was counted meanwhile. One is never written twice at once. */
  readonly #underWay = new Map<EventSeries, 'once' | 'again'>();
  #sending: Promise<void> | undefined;
  #sweep: Timer | undefined;
  #made = 0;
  #closed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#spam = new SpamGuard(options.clock, spamLimit);
  }

  /** How many events wait to be written. */
  get waiting(): number {
    return this.#waiting.size;
  }

  record(record: EventRecord): void {
    try {
      if (this.#closed) return this.#dropped('closed');
      const known = this.#series.get(seriesKey(record));
      if (known !== undefined && elapsed(this.#clock, known.observed) < seriesEnds) this.#again(known);
      else this.#begin(record);
      this.#sweep ??= this.#clock.after(sweepInterval, () => this.#tidy());
    } catch (error) {
      this.#dropped('defect', error);
    }
  }

  /**
   * Takes nothing more, writes what waits and what the series have counted since, and resolves when that is done or when `limit` has
   * passed. What is left by then is dropped. Never rejects.
   */
  async close(limit: Millis): Promise<void> {
    this.#closed = true;
    this.#sweep?.cancel();
    for (const series of this.#series.values()) if (series.dirty) this.#enqueue(series);
    const told = AbortSignal.abort();
    const finished = await endsInTime(this.#sending ?? Promise.resolve(), told, limit, this.#clock);
    if (finished) return;
    this.#giveUp.abort();
    await this.#sending;
  }

  #begin(record: EventRecord): void {
    if (!this.#spam.admits(`${objectKey(record.regarding)} ${record.reason}`)) return this.#dropped('spam');
    const { controller, instance } = this.#options;
    const series = new EventSeries(this.#clock, record, { controller, instance }, this.#suffix());
    const forgotten = this.#series.set(series.key, series);
    if (forgotten?.dirty === true) this.#enqueue(forgotten);
    this.#enqueue(series);
  }

  #again(series: EventSeries): void {
    series.happenedAgain();
    const due = series.written === undefined || elapsed(this.#clock, series.written) >= seriesInterval;
    if (series.count === 2 || due) this.#enqueue(series);
  }

  /** Writes the last count of series that have gone quiet, and forgets those that are over. */
  #tidy(): void {
    this.#sweep = undefined;
    for (const series of this.#series.values()) {
      const over = elapsed(this.#clock, series.observed) >= seriesEnds;
      const due = series.written !== undefined && elapsed(this.#clock, series.written) >= seriesInterval;
      if (series.dirty && (over || due)) this.#enqueue(series);
      if (over) this.#series.delete(series.key);
    }
    if (this.#series.size > 0) this.#sweep = this.#clock.after(sweepInterval, () => this.#tidy());
  }

  #enqueue(series: EventSeries): void {
    if (series.queued) return;
    if (this.#underWay.has(series)) return void this.#underWay.set(series, 'again');
    series.queued = true;
    this.#waiting.push(series);
    if (this.#waiting.size > (this.#options.queue ?? 5000)) {
      const oldest = this.#waiting.shift();
      if (oldest !== undefined) this.#lose(oldest, 'full');
    }
    this.#sending ??= this.#send();
  }

  /** Runs while something waits. Never rejects. */
  async #send(): Promise<void> {
    await Promise.resolve(); // so that what is recorded in one go is one go of ours too, and `record` returns first
    while (this.#waiting.size > 0) await Promise.all(Array.from({ length: atOnce }, () => this.#sendInTurn()));
    this.#sending = undefined;
  }

  async #sendInTurn(): Promise<void> {
    for (let series = this.#waiting.shift(); series !== undefined; series = this.#waiting.shift()) {
      series.queued = false;
      this.#underWay.set(series, 'once');
      await this.#deliver(series);
      const isDue = this.#underWay.get(series) === 'again';
      this.#underWay.delete(series);
      if (isDue) this.#enqueue(series);
    }
  }

  async #deliver(series: EventSeries): Promise<void> {
    for (let failures = 1; ; failures++) {
      if (this.#giveUp.signal.aborted) return this.#lose(series, 'closed');
      try {
        await this.#write(series);
        harmlessly(() => this.#options.onWritten?.());
        return;
      } catch (error) {
        if (this.#giveUp.signal.aborted) continue;
        harmlessly(() => this.#options.onTrouble?.(error));
        if (failures >= tries || !mayPass(error)) return this.#lose(series, 'refused', error);
        const pause = backoffDelay(retry, failures, this.#options.random);
        await sleep(this.#clock, pause, this.#giveUp.signal).catch(() => {});
      }
    }
  }

  async #write(series: EventSeries): Promise<void> {
    const options = { signal: this.#giveUp.signal, deadline: seconds(10) };
    const { client } = this.#options;
    const { count, namespace, name } = series;
    series.written = this.#clock.monotonic();
    if (!series.unsent) {
      const patch = { type: 'merge', body: series.toPatch() } as const;
      const gone = await client.patch(events, { namespace, name }, patch, options).then(() => false, rethrowUnlessGone);
      if (!gone) return series.sent(count);
      // The API server forgets events after an hour.
    }
    const there = await client.create(events, series.toEvent(), options).then(() => false, rethrowUnlessThere);
    // The one that is there has the count of the try whose answer was lost; what came since is a write of its own.
    series.sent(there ? 1 : count);
    if (there && series.dirty) this.#enqueue(series);
  }

  /** A series whose event was never written is forgotten, so that the next one is tried afresh. */
  #lose(series: EventSeries, why: EventLoss, error?: unknown): void {
    series.queued = false;
    if (series.unsent && this.#series.get(series.key) === series) this.#series.delete(series.key);
    this.#dropped(why, error);
  }

  #dropped(why: EventLoss, error?: unknown): void {
    harmlessly(() => this.#options.onDropped?.(why, error));
  }

  /** Unlike that of any other event, also of another instance in the same millisecond. */
  #suffix(): string {
    const moment = Math.floor(this.#clock.now()).toString(16);
    const chance = Math.floor(this.#options.random.next() * 0x10000).toString(16);
    return `${moment}${(this.#made++ % 0x1000).toString(16).padStart(3, '0')}${chance.padStart(4, '0')}`;
  }
}

/** Whether the next try may work: the server was busy or out of reach. A create with the same name cannot happen twice. */
function mayPass(error: unknown): boolean {
  if (error instanceof KubeApiError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionLost || isOutcomeUnknown(error);
}

function rethrowUnlessGone(error: unknown): true {
  if (isNotFound(error)) return true;
  throw error;
}

/** A create whose answer was lost. */
function rethrowUnlessThere(error: unknown): true {
  if (isAlreadyExists(error)) return true;
  throw error;
}
