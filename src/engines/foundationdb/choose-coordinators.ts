import type { ProcessGroupId } from '../../model/ids.ts';
import { isFalse } from '../../model/known.ts';
import { isIp, withoutOrigin } from './address.ts';
import type { Coordinator } from './coordinators.ts';
import { processOf } from './coordinators.ts';
import { exclusionsOf, isExcluded } from './exclusions.ts';
import type { ListedProcess } from './listed-process.ts';
import type { Status } from './status.schema.ts';

/**
 * Which classes may coordinate, best first: those that were started for it, then logs, then storage (research 3.11), then what does
 * anything. Others have no disk to remember on.
 */
const eligible = ['coordinator', 'log', 'transaction', 'storage', 'general', 'unset'];

export interface Seats {
  readonly status: Status;
  readonly processes: readonly ListedProcess[];
  readonly coordinators: readonly Coordinator[];
  /** Has to give up its seat, and gets none. */
  readonly leaves: (coordinator: Coordinator) => boolean;
  readonly leaving: readonly ListedProcess[];
  /** Gets no new seat, because it is about to leave, too. */
  readonly avoid: (group: ProcessGroupId) => boolean;
}

/**
 * New coordinators, as many as now, no two of them in one zone: those that stay and answer, and others in place of the rest. Fewer than now
 * where there are not enough zones, which is for the caller to refuse.
 */
export function chooseCoordinators(seats: Seats): readonly string[] {
  const { coordinators, leaving } = seats;
  const zones = new Set<string>();
  const chosen: string[] = [];
  const take = (address: string, zone: string): void => {
    if (zones.has(zone) || chosen.length >= coordinators.length) return;
    zones.add(zone);
    chosen.push(address);
  };
  for (const { address, zone } of staying(seats)) take(address, zone);
  const zonesLeft = new Set(leaving.map(({ zone }) => zone));
  const fresh = candidates(seats);
  // Whatever takes the group away may take its zone away, too: other zones come first.
  for (const { address, zone } of fresh) if (!zonesLeft.has(zone)) take(address, zone);
  for (const { address, zone } of fresh) take(address, zone);
  return chosen;
}

function staying({ coordinators, leaves, processes, status }: Seats) {
  return coordinators.flatMap((coordinator) => {
    const process = processOf(coordinator, processes);
    if (process === undefined || leaves(coordinator)) return [];
    // The client may have asked older coordinators; this one is listed, so it answers somebody.
    const fit = !isFalse(coordinator.reachable) && isFalse(isExcluded(process, exclusionsOf(status)));
    return fit ? [{ address: coordinator.address, zone: process.zone ?? `the zone of ${process.id}` }] : [];
  });
}

function candidates({ coordinators, processes, leaving, status, avoid }: Seats) {
  const byName = coordinators.some(({ at }) => !isIp(at));
  const exclusions = exclusionsOf(status);
  return processes
    .filter(
      (process) =>
        rankOf(process) >= 0 &&
        !leaving.includes(process) &&
        isFalse(isExcluded(process, exclusions)) &&
        process.status.under_maintenance !== true &&
        !(process.group !== null && avoid(process.group)),
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((process) => {
      const address = coordinatorAddress(process, byName);
      return address === undefined || process.zone === null ? [] : [{ address, zone: process.zone }];
    });
}

/** Coordinators are all known by name, or all by address. */
function coordinatorAddress({ address, dnsName, status }: ListedProcess, byName: boolean): string | undefined {
  if (address === undefined || address.port === null || status.address === undefined) return undefined;
  if (!byName) return withoutOrigin(status.address);
  return dnsName === null ? undefined : `${dnsName}:${address.port}${/:tls\b/.test(status.address) ? ':tls' : ''}`;
}

const rankOf = ({ status: { class_type = 'unset' } }: ListedProcess): number => eligible.indexOf(class_type);
