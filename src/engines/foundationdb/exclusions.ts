import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import type { Address } from './address.ts';
import { overlap, parseAddress } from './address.ts';
import type { ListedProcess } from './listed-process.ts';
import { localityOf } from './listed-process.ts';
import type { Status } from './status.schema.ts';

/** One entry of the list of those that must hold nothing. */
export type Exclusion =
  | { readonly by: 'address'; readonly word: string; readonly address: Address }
  | {
      readonly by: 'locality';
      readonly word: string;
      readonly key: string;
      readonly value: string;
      /** The process group, where it is by its id. */
      readonly group: ProcessGroupId | undefined;
    };

/** All entries; unknown while the database does not tell its configuration. */
export function exclusionsOf({ cluster }: Status): Known<readonly Exclusion[]> {
  const entries = cluster?.configuration?.excluded_servers;
  if (entries === undefined) return unknown;
  return entries.flatMap(({ address, locality }) => [
    ...(address === undefined ? [] : byAddress(address)),
    ...(locality === undefined ? [] : byLocality(locality)),
  ]);
}

function byAddress(word: string): readonly Exclusion[] {
  const address = parseAddress(word);
  return address === undefined ? [] : [{ by: 'address', word, address }];
}

/** `locality_instance_id:storage-41`; a zone may have a colon in its name. */
function byLocality(word: string): readonly Exclusion[] {
  const [, key, value] = /^locality_([^:]+):(.*)$/s.exec(word) ?? [];
  if (key === undefined || value === undefined) return [];
  return [{ by: 'locality', word, key, value, group: key === 'instance_id' ? name(value) : undefined }];
}

/** Whether the entry means this process. */
export function covers(exclusion: Exclusion, { address, status }: ListedProcess): boolean {
  if (exclusion.by === 'locality') return localityOf(status, exclusion.key) === exclusion.value;
  return address !== undefined && overlap(exclusion.address, address);
}

/** Whether the process is to leave. Its own word counts; a list that says more than the process puts it in doubt. */
export function isExcluded(process: ListedProcess, exclusions: Known<readonly Exclusion[]>): Known<boolean> {
  const { excluded } = process.status;
  if (excluded !== false) return excluded ?? unknown;
  return exclusions !== unknown && exclusions.some((exclusion) => covers(exclusion, process)) ? unknown : false;
}
