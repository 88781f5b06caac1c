import type { Clock } from '../../kube/clock.ts';
import type { UnitId } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import type { CopyFate, DiskId, EngineProcess, Loss } from './model-engine.ts';

/** More than any unit has copies; enough to explain a loss. */
const rememberedCopies = 8;

/** What last happened to each copy of each unit, and which units are lost, so that a loss can be explained. */
export class CopyLedger {
  readonly #clock: Clock;
  readonly #fates = new Map<UnitId, Map<DiskId, CopyFate>>();
  readonly #losses = new Map<UnitId, Loss>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(unit: UnitId, { id, disk }: Pick<EngineProcess, 'id' | 'disk'>, what: string): void {
    let fates = this.#fates.get(unit);
    if (fates === undefined) this.#fates.set(unit, (fates = new Map()));
    // Taken out and put back, so that the map stays in the order of the events.
    fates.delete(disk);
    fates.set(disk, { process: id, disk, what, at: instant(this.#clock.now()) });
    const [oldest] = fates.keys();
    if (fates.size > rememberedCopies && oldest !== undefined) fates.delete(oldest);
  }

  /** For good: a second time changes nothing. */
  lose(unit: UnitId): void {
    if (this.#losses.has(unit)) return;
    const copies = [...(this.#fates.get(unit)?.values() ?? [])];
    const last = copies.at(-1);
    const because =
      last === undefined
        ? `${unit} never had a copy`
        : `${unit} had its last up-to-date copy on ${last.process}: ${last.what}`;
    this.#losses.set(unit, { unit, at: instant(this.#clock.now()), because, copies });
  }

  isLost(unit: UnitId): boolean {
    return this.#losses.has(unit);
  }

  get losses(): readonly Loss[] {
    return [...this.#losses.values()];
  }
}
