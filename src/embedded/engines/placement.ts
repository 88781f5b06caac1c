import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import type { ProcessId, Zone } from '../../model/ids.ts';

/** Where a copy could go. */
export interface Place {
  readonly process: ProcessId;
  readonly zone: Zone;
  /** How much it holds already; the emptiest is chosen. */
  readonly load: number;
}

/** A place in a zone that has no copy yet, if there is one; among those the emptiest; among equals by chance. */
export function choosePlace<P extends Place>(
  places: readonly P[],
  zonesTaken: ReadonlySet<Zone>,
  random: Random,
): P | undefined {
  const apart = places.filter(({ zone }) => !zonesTaken.has(zone));
  const eligible = apart.length > 0 ? apart : places;
  const least = Math.min(...eligible.map(({ load }) => load));
  const best = eligible.filter(({ load }) => load === least);
  return best.length === 0 ? undefined : best[randomInteger(random, 0, best.length)];
}
