import type { ProcessGroupId, ProcessId, Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Address } from './address.ts';
import { parseAddress } from './address.ts';
import type { ProcessStatus } from './status.schema.ts';

/** A process of the status, with the names that Drover knows it by. */
export interface ListedProcess {
  readonly id: ProcessId;
  readonly group: ProcessGroupId | null;
  readonly zone: Zone | null;
  /** Undefined where the status has none, or none that can be read. */
  readonly address: Address | undefined;
  readonly dnsName: string | null;
  readonly status: ProcessStatus;
}

/**
 * The processes by name: `process_id` tells apart those of one pod, `instance_id` is the process group, and without either there is only
 * FoundationDB's own opaque id. Two that would have the same name have the opaque id added. Sorted, so that nothing depends on its order.
 */
export function listedProcesses(processes: Readonly<Record<string, ProcessStatus>>): readonly ListedProcess[] {
  const all = Object.entries(processes).map(([key, status]) => ({ key, status, called: nameOf(key, status) }));
  const count = new Map<string, number>();
  for (const { called } of all) count.set(called, (count.get(called) ?? 0) + 1);
  return all
    .map(({ key, status, called }): ListedProcess => {
      const group = localityOf(status, 'instance_id');
      const zone = localityOf(status, 'zoneid');
      return {
        id: name<ProcessId>(count.get(called) === 1 ? called : `${called}/${key}`),
        group: group === null ? null : name<ProcessGroupId>(group),
        zone: zone === null ? null : name<Zone>(zone),
        address: status.address === undefined ? undefined : parseAddress(status.address),
        dnsName: localityOf(status, 'dns_name'),
        status,
      };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const nameOf = (key: string, status: ProcessStatus): string =>
  localityOf(status, 'process_id') ?? localityOf(status, 'instance_id') ?? key;

/** One of the `--locality_...` that a process was started with; null where it has none. */
export function localityOf({ locality }: ProcessStatus, key: string): string | null {
  const value = locality !== undefined && Object.hasOwn(locality, key) ? locality[key] : undefined;
  return value === undefined || value === '' ? null : value;
}
