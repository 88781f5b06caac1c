import type { Clock, MonotonicMillis } from './clock.ts';
import { fitName, fitNote } from './event-note.ts';
import { toMicroTime } from './micro-time.ts';
import type { EventsV1Event, ObjectReference } from './resources.ts';

/** Something that happened to an object, worth telling people. */
export interface EventRecord {
  /** What it happened to. With a uid, or `kubectl describe` does not show it. */
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** For programs: `CamelCase`, from a small set. */
  readonly reason: string;
  /** What was done or tried, also from a small set. */
  readonly action: string;
  /** For people. What is longer than 1024 bytes is cut. */
  readonly note: string;
}

/** Records with the same key are one event that happens again. */
export function seriesKey({ regarding, related, type, reason, action, note }: EventRecord): string {
  return JSON.stringify([objectKey(regarding), type, reason, action, note, related && objectKey(related)]);
}

export function objectKey({ uid, apiVersion, kind, namespace, name, fieldPath }: ObjectReference): string {
  return JSON.stringify([uid ?? '', apiVersion, kind, namespace, name, fieldPath]);
}

/** One event, and how often it has happened. Knows what the server has of it, so that it can say what is left to write. */
export class EventSeries {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** True while the server has not got it. */
  unsent = true;
  /** True while it waits to be written. */
  queued = false;
  /** When it was last written, or tried to be. */
  written: MonotonicMillis | undefined;
  observed: MonotonicMillis;
  readonly #clock: Clock;
  readonly #event: EventsV1Event;
  #count = 1;
  #countSent = 0;
  #lastObserved: string;

  constructor(
    clock: Clock,
    record: EventRecord,
    reporter: { readonly controller: string; readonly instance: string },
    suffix: string,
  ) {
    this.key = seriesKey(record);
    // The API server wants events of cluster-scoped objects in `default`.
    const { namespace = '' } = record.regarding;
    this.namespace = namespace === '' ? 'default' : namespace;
    this.name = eventName(record.regarding.name ?? '', suffix);
    this.observed = clock.monotonic();
    this.#clock = clock;
    this.#lastObserved = toMicroTime(clock.now());
    this.#event = {
      metadata: { namespace: this.namespace, name: this.name },
      eventTime: this.#lastObserved,
      reportingController: reporter.controller,
      reportingInstance: fitName(reporter.instance),
      type: record.type,
      reason: fitName(record.reason),
      action: fitName(record.action === '' ? record.reason : record.action),
      note: fitNote(record.note),
      regarding: record.regarding,
      ...(record.related !== undefined && { related: record.related }),
    };
  }

  get count(): number {
    return this.#count;
  }

  /** The server does not know yet how often it has happened. */
  get dirty(): boolean {
    return this.#countSent < this.#count;
  }

  happenedAgain(): void {
    this.#count++;
    this.observed = this.#clock.monotonic();
    this.#lastObserved = toMicroTime(this.#clock.now());
  }

  /** The whole event, as of now. */
  toEvent(): EventsV1Event {
    return this.#count === 1 ? this.#event : { ...this.#event, ...this.toPatch() };
  }

  /** What has changed since the event was made. The API server wants a count of at least 2. */
  toPatch(): Pick<EventsV1Event, 'series'> {
    return { series: { count: Math.max(2, this.#count), lastObservedTime: this.#lastObserved } };
  }

  /** The server has it, as it was when `count` was read. */
  sent(count: number): void {
    this.unsent = false;
    this.#countSent = count;
  }
}

/** A DNS subdomain of at most 253 characters, whatever the object is called. */
function eventName(object: string, suffix: string): string {
  const allowed = object
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, 253 - suffix.length - 1);
  const trimmed = allowed.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '').replace(/[.-]*\.[.-]*/g, '.');
  return `${trimmed === '' ? 'unnamed' : trimmed}.${suffix}`;
}
