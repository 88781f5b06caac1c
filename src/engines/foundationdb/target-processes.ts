import type { ProcessGroupId } from '../../model/ids.ts';
import type { Target } from '../engine.ts';
import type { Address } from './address.ts';
import { parseAddress } from './address.ts';
import type { ListedProcess } from './listed-process.ts';

/** The processes of the status that a target means: those of its group, and those that it names. */
export const processesOfTarget = (
  { group, processes }: Target,
  listed: readonly ListedProcess[],
): readonly ListedProcess[] => listed.filter((process) => process.group === group || processes.includes(process.id));

/** The names by which the database knows the target: those that its processes were started with, or its own where none is listed. */
export function groupsOfTarget({ group }: Target, own: readonly ListedProcess[]): readonly ProcessGroupId[] {
  return own.length === 0 ? [group] : [...new Set(own.flatMap((process) => process.group ?? []))];
}

/** Every address by which the target was or is known. What is no address is nothing that a database could know. */
export const addressesOfTarget = (target: Target, own: readonly ListedProcess[]): readonly Address[] => [
  ...own.flatMap(({ address }) => address ?? []),
  ...target.addresses.flatMap((text) => parseAddress(text) ?? []),
];
