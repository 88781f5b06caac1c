import { name } from '../../../model/ids.ts';
import type { EngineProcess } from '../model-engine.ts';

/** Strings where the model has names, so that tests stay readable. */
interface Given {
  readonly group?: string | null;
  readonly role?: string;
  readonly zone?: string;
  readonly address?: string;
  readonly disk?: string;
}

/** `storage-4` is of the role storage, alone in zone-4 on disk-storage-4, at an address of its own. */
export function givenProcess(id: string, given: Given = {}): EngineProcess {
  const [, role = id, number = '1'] = /^(.*?)-(\d+)$/.exec(id) ?? [];
  return {
    id: name(id),
    group: given.group === null ? null : name(given.group ?? id),
    role: name(given.role ?? role),
    zone: name(given.zone ?? `zone-${number}`),
    address: given.address ?? `10.${roleNumber(role)}.0.${number}:4501`,
    disk: name(given.disk ?? `disk-${id}`),
  };
}

/** Roles in different networks, so that `storage-1` and `log-1` do not share an address. */
function roleNumber(role: string): number {
  return role.split('').reduce((sum, letter) => (sum + letter.charCodeAt(0)) % 250, 0);
}
