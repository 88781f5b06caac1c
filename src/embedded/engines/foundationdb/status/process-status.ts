import type { EngineProcess } from '../../model-engine.ts';
import { localitiesOf } from '../exclusions.ts';
import type { FdbParts } from '../fdb-parts.ts';
import type { Role } from '../roles.ts';
import { rolesOf } from '../roles.ts';

/** `cluster.processes`: all that are heard, by an opaque id. */
export function processesStatus(parts: FdbParts): Readonly<Record<string, object>> {
  return Object.fromEntries(parts.state.workers().map((process) => [opaqueId(process), processStatus(parts, process)]));
}

function processStatus(parts: FdbParts, process: EngineProcess): object {
  const { state, maintenance } = parts;
  const { version, clock } = state.options;
  const startedAt = state.table.get(process.id)?.startedAt ?? clock.now();
  const fixed = fixedOf(process);
  const storesData = parts.storage.serverOf(process) !== undefined;
  return {
    address: process.address,
    class_source: 'command_line',
    class_type: process.role,
    command_line: fixed.commandLine,
    excluded: state.isExcluded(process),
    fault_domain: process.zone,
    locality: fixed.locality,
    machine_id: process.zone,
    messages:
      state.ailmentsOf(process.id).ioError === true
        ? [{ description: 'Disk i/o operation failed', name: 'io_error', time: 0, type: 'ProcessError' }]
        : [],
    roles: rolesOf(parts, process).map(roleStatus),
    run_loop_busy: 0.02,
    under_maintenance: storesData && maintenance.zone === process.zone,
    uptime_seconds: Math.max(0, (clock.now() - startedAt) / 1000),
    version,
  };
}

/** Roles without data have no id of their own worth telling. */
function roleStatus({ role, id, storedBytes, lag }: Role): object {
  if (storedBytes === undefined) return id === '' ? { role } : { id, role };
  return { data_lag: { seconds: lag }, durability_lag: { seconds: lag }, id, role, stored_bytes: storedBytes };
}

function commandLine(process: EngineProcess): string {
  const localities = Object.entries(localitiesOf(process)).map(([key, value]) => `--locality_${key}=${value}`);
  return [
    '/usr/bin/fdbserver',
    `--class=${process.role}`,
    '--cluster_file=/var/fdb/data/fdb.cluster',
    ...localities,
    `--public_address=${process.address}`,
  ].join(' ');
}

/** What is told of a process and stays as it is. */
interface Fixed {
  readonly opaqueId: string;
  readonly commandLine: string;
  readonly locality: Readonly<Record<string, string>>;
}

const known = new WeakMap<EngineProcess, Fixed>();

function fixedOf(process: EngineProcess): Fixed {
  const before = known.get(process);
  if (before !== undefined) return before;
  const id = hashed(`${process.id}/${process.disk}`);
  const fixed = {
    opaqueId: id,
    commandLine: commandLine(process),
    locality: { ...localitiesOf(process), processid: id },
  };
  known.set(process, fixed);
  return fixed;
}

/** A name that says nothing: the same for the same process on the same disk, as the file that the real one keeps there. */
export const opaqueId = (process: EngineProcess): string => fixedOf(process).opaqueId;

/** FNV-1a, four times over. */
function hashed(from: string): string {
  let text = '';
  for (const salt of ['a', 'b', 'c', 'd']) {
    let hash = 0x811c9dc5;
    for (const letter of `${salt}${from}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    text += hash.toString(16).padStart(8, '0');
  }
  return text;
}
