import type { EngineProcess } from '../model-engine.ts';
import type { FdbParts } from './fdb-parts.ts';

/** What a process does for the database at this moment. */
export interface Role {
  readonly role: string;
  readonly id: string;
  /** Of a storage server: what lies on it. */
  readonly storedBytes?: number;
  /** Of a storage server: how many seconds it is behind. */
  readonly lag?: number;
}

/** Without any role, and excluded: drained. A coordinator has a role, too. */
export function rolesOf(parts: FdbParts, process: EngineProcess): readonly Role[] {
  const { coordinators, distribution, storage, transactions } = parts;
  const server = storage.serverOf(process);
  return [
    ...(coordinators.isCoordinator(process) ? [{ role: 'coordinator', id: '' }] : []),
    ...(server === undefined
      ? []
      : [{ role: 'storage', id: server.id, storedBytes: distribution.bytesOn(server), lag: storage.lagOf(server) }]),
    ...transactions.rolesOf(process),
  ];
}
