import type { Clock } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import type { ProcessId } from '../../model/ids.ts';
import type { Agenda } from './agenda.ts';

export interface Transfer {
  /** Names what is moved where; one transfer a key. */
  readonly key: string;
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly bytes: number;
}

export interface Progress {
  readonly bytes: number;
  readonly moved: number;
  readonly secondsLeft: number;
}

interface Moving extends Transfer {
  readonly done: () => void;
  moved: number;
  bytesPerSecond: number;
}

/** Half a byte: what is left of a transfer by the rounding of numbers, not by data. */
const rounding = 0.5;

/**
 * Bytes on their way between processes. Each process has a limit, shared evenly by the transfers that touch it, and a transfer is as fast
 * as the slower of its two ends. Time is spent only at the ends of transfers: between them the progress is worked out when asked for.
 */
export class DataMovement {
  readonly #clock: Clock;
  readonly #agenda: Agenda;
  readonly #limit: number;
  readonly #moving = new Map<string, Moving>();
  #settledAt: number;

  constructor(clock: Clock, agenda: Agenda, bytesPerSecondOfProcess: number) {
    this.#clock = clock;
    this.#agenda = agenda;
    this.#limit = bytesPerSecondOfProcess;
    this.#settledAt = clock.monotonic();
  }

  /** `done` is called once, when the last byte has arrived. A transfer of that key that is under way goes on instead. */
  begin(transfer: Transfer, done: () => void): void {
    if (this.#moving.has(transfer.key)) return;
    this.#settle();
    this.#moving.set(transfer.key, { ...transfer, done, moved: 0, bytesPerSecond: 0 });
    this.#share();
  }

  /** What was moved so far is worth nothing. */
  abort(key: string): void {
    this.#settle();
    if (this.#moving.delete(key)) this.#share();
  }

  /** The transfers that a process is an end of. */
  touching(process: ProcessId): readonly Transfer[] {
    return [...this.#moving.values()].filter(({ from, to }) => from === process || to === process);
  }

  get(key: string): Transfer | undefined {
    return this.#moving.get(key);
  }

  get size(): number {
    return this.#moving.size;
  }

  progressOf(key: string): Progress | undefined {
    const moving = this.#moving.get(key);
    if (moving === undefined) return undefined;
    const since = (this.#clock.monotonic() - this.#settledAt) / 1000;
    const moved = Math.min(moving.bytes, moving.moved + since * moving.bytesPerSecond);
    return { bytes: moving.bytes, moved, secondsLeft: (moving.bytes - moved) / moving.bytesPerSecond };
  }

  /** Books what has moved since the last time, at the speeds that held since then. */
  #settle(): void {
    const now = this.#clock.monotonic();
    const passed = (now - this.#settledAt) / 1000;
    this.#settledAt = now;
    if (passed > 0) for (const moving of this.#moving.values()) moving.moved += passed * moving.bytesPerSecond;
  }

  #share(): void {
    const transfers = new Map<ProcessId, number>();
    for (const { from, to } of this.#moving.values())
      for (const end of [from, to]) transfers.set(end, (transfers.get(end) ?? 0) + 1);
    let next = Number.POSITIVE_INFINITY;
    for (const moving of this.#moving.values()) {
      const busier = Math.max(transfers.get(moving.from) ?? 1, transfers.get(moving.to) ?? 1);
      moving.bytesPerSecond = this.#limit / busier;
      next = Math.min(next, Math.max(0, moving.bytes - moving.moved) / moving.bytesPerSecond);
    }
    if (next === Number.POSITIVE_INFINITY) this.#agenda.cancel('data-movement');
    else this.#agenda.set('data-movement', seconds(next), () => this.#complete());
  }

  #complete(): void {
    this.#settle();
    const complete = [...this.#moving.values()].filter(({ bytes, moved }) => moved >= bytes - rounding);
    for (const { key } of complete) this.#moving.delete(key);
    this.#share();
    for (const { done } of complete) done();
  }
}
