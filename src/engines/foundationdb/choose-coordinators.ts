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
 * New coordinators, as many as now: those that stay and answer, and others in place of the rest. No two of them in one zone as long as there are zones
 * enough; where there are not, no more in one than may fail together, because to wait for a zone that nobody is about to add is to wait for ever. Fewer
 * than now where even that does not go, which is for the caller to refuse.
 */
export function chooseCoordinators(seats: Seats): readonly string[] {
  const { coordinators, leaving } = seats;
  const [stay, fresh] = [staying(seats), candidates(seats)];
  const zonesLeft = new Set(leaving.map(({ zone }) => zone));
  // Whatever takes the group away may take its zone away, too: other zones come first.
  const inOrder = [
    ...stay,
    ...fresh.filter(({ zone }) => !zonesLeft.has(zone)),
    ...fresh.filter(({ zone }) => zonesLeft.has(zone)),
  ];
  const chosen = new Map<string, string>();
  for (let crowd = 1; crowd <= mayFailTogether(coordinators.length); crowd++)
    for (const { address, zone } of inOrder) {
      const company = [...chosen.values()].filter((other) => other === zone).length;
      if (chosen.size < coordinators.length && company < crowd && !chosen.has(address)) chosen.set(address, zone);
    }
  return [...chosen.keys()];
}

/** So many of them may be lost at once, and the others are still a majority; one alone has no other. */
export const mayFailTogether = (coordinators: number): number => Math.max(1, Math.floor((coordinators - 1) / 2));

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
