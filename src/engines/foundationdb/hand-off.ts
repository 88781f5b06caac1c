import type { ProcessGroupId } from '../../model/ids.ts';
import type { Target } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { overlap } from './address.ts';
import { chooseCoordinators } from './choose-coordinators.ts';
import type { Coordinator } from './coordinators.ts';
import { coordinatorsOf, processOf } from './coordinators.ts';
import { listedProcesses } from './listed-process.ts';
import type { Session } from './session.ts';
import type { SoundStatus } from './sound-status.ts';
import { addressesOfTarget, processesOfTarget } from './target-processes.ts';

/**
 * Moves the coordinators that are on a process group to others, as many as before and spread over zones. A coordinator that is not listed as
 * a process is meant by its address, as a process or as an address of the target. Does nothing where none is on it.
 */
export async function handOff(
  session: Session,
  target: Target,
  avoid: (group: ProcessGroupId) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const status = await session.statusOfAvailable(signal);
  const chosen = successors(status, target, avoid);
  if (chosen === undefined) return;
  await session.tell(['coordinators', ...chosen], signal, 'most');
  const after = coordinatorsOf(await session.status(signal)).map(({ address }) => address);
  if (after.length !== chosen.length || chosen.some((address) => !after.includes(address)))
    throw new EngineUnreachable(
      `fdbcli took the new coordinators ${chosen.join(', ')}, and the database has ${after.join(', ')}`,
    );
}

/** Undefined: no coordinator is on it. */
function successors(
  status: SoundStatus,
  target: Target,
  avoid: (group: ProcessGroupId) => boolean,
): readonly string[] | undefined {
  const coordinators = coordinatorsOf(status);
  const processes = listedProcesses(status.cluster.processes);
  const leaving = processesOfTarget(target, processes);
  const addresses = addressesOfTarget(target, leaving);
  const leaves = (coordinator: Coordinator): boolean => {
    const process = processOf(coordinator, processes);
    if (process !== undefined) return leaving.includes(process);
    const named = target.processes.some((id) => String(id) === coordinator.address);
    return named || addresses.some((address) => overlap(coordinator.at, address));
  };
  if (!coordinators.some(leaves)) return undefined;
  const chosen = chooseCoordinators({ status, processes, coordinators, leaves, leaving, avoid });
  if (chosen.length >= coordinators.length) return chosen;
  throw new EngineRefused(
    `the coordinators stay on ${target.group}: ${coordinators.length} are needed, and there are only places for ${chosen.length}, because too many of them in one zone would fail together`,
  );
}
