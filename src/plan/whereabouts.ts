import type { Zone } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Process } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { expectedProcesses } from './reporting.ts';
import type { StepBuilder } from './step.ts';

/** As many as a row of the status has room for. */
const mostAddresses = 16;

/** Records by which addresses the engine knows a process group, and which zone it is in: both are needed once it is gone. */
export function recordWhereabouts(survey: Survey, group: ProcessGroup, step: StepBuilder): void {
  const processes = survey.engine.processesOf.get(group.id) ?? [];
  const addresses = addressesOf(survey, group, processes);
  if (!sameMembers(addresses, group.addresses)) step.record({ record: 'addresses', group: group.id, addresses });

  const zone = zoneOf(survey, group, processes);
  if (zone !== null && zone !== group.zone) step.record({ record: 'zone', group: group.id, zone });
}

/**
 * The addresses of now. Those of before are kept as well while the group is leaving or may still be excluded, because that is by every address
 * that it ever had, and while the engine does not serve or does not list all of its processes, because then the answer may be only a part.
 */
function addressesOf(survey: Survey, group: ProcessGroup, processes: readonly Process[]): readonly string[] {
  const current = [...new Set(processes.flatMap(({ addresses }) => addresses))].filter((one) => one !== '').sort();
  const available = survey.engine.topology?.health.available;
  const whole = available === true && processes.length >= expectedProcesses(survey, group);
  const known =
    group.removal === null && group.evacuationAt === null && whole && current.length > 0 ? [] : group.addresses;
  return [...new Set([...known, ...current])].slice(-mostAddresses);
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  const members = new Set(a);
  return members.size === new Set(b).size && b.every((one) => members.has(one));
}

/** The engine's word, of the process that started last; else the zone of the node. Nobody knows: the last known one stays. */
function zoneOf({ nodes }: Survey, { pod }: ProcessGroup, processes: readonly Process[]): Zone | null {
  let newest: Process | undefined;
  for (const process of processes) {
    if (process.zone !== null && (newest === undefined || startedLater(process, newest))) newest = process;
  }
  if (newest !== undefined) return newest.zone;
  return pod === null || pod.node === null ? null : (nodes?.get(pod.node)?.zone ?? null);
}

function startedLater(a: Process, b: Process): boolean {
  const [first, second] = [a.startedAt ?? -Infinity, b.startedAt ?? -Infinity];
  return first === second ? a.id < b.id : first > second;
}
