import { isTrue, unknown } from '../../model/known.ts';
import type { Target } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { overlap } from './address.ts';
import type { Exclusion } from './exclusions.ts';
import { covers, exclusionsOf, isExcluded } from './exclusions.ts';
import type { ListedProcess } from './listed-process.ts';
import { listedProcesses, localityOf } from './listed-process.ts';
import type { Session } from './session.ts';
import type { Status } from './status.schema.ts';
import { addressesOfTarget, groupsOfTarget, processesOfTarget } from './target-processes.ts';

/** Takes a process group off the list of those that must hold nothing, by whatever name it is there. What is not there needs no command. */
export async function forget(session: Session, target: Target, signal: AbortSignal): Promise<void> {
  await include(session, target, signal);
}

/** The same, and its processes are looked at afterwards: an exclusion that means others as well is not taken back. */
export async function cancelEvacuation(session: Session, target: Target, signal: AbortSignal): Promise<void> {
  const status = await include(session, target, signal);
  const exclusions = exclusionsOf(status);
  const held = ownIn(status, target).find((process) => isTrue(isExcluded(process, exclusions)));
  if (held === undefined || exclusions === unknown) return;
  const by = exclusions.filter((exclusion) => covers(exclusion, held)).map(({ word }) => word);
  throw new EngineRefused(
    `${held.id} is still excluded${by.length === 0 ? '' : ` by ${by.join(', ')}, which means others too`}: include it by hand if it is to stay`,
  );
}

/** Gives the status after it. */
async function include(session: Session, target: Target, signal: AbortSignal): Promise<Status> {
  const before = await session.statusOfAvailable(signal);
  if (exclusionsOf(before) === unknown)
    throw new EngineUnreachable(
      `the database does not tell whom it excludes, so ${target.group} is not included again yet: it is tried again when it does`,
    );
  const words = wordsToInclude(target, before);
  if (words.length === 0) return before;
  await session.tell(['include', ...words], signal);
  const after = await session.status(signal);
  const left = wordsToInclude(target, after);
  if (left.length > 0)
    throw new EngineRefused(
      `${left.join(', ')} of ${target.group} is still excluded after \`include\`: if it was marked as failed, \`include failed\` it by hand`,
    );
  return after;
}

const ownIn = ({ cluster }: Status, target: Target): readonly ListedProcess[] =>
  processesOfTarget(target, listedProcesses(cluster?.processes ?? {}));

function wordsToInclude(target: Target, status: Status): readonly string[] {
  const exclusions = exclusionsOf(status);
  if (exclusions === unknown) return [];
  const own = ownIn(status, target);
  const addresses = addressesOfTarget(target, own);
  const groups = [target.group, ...groupsOfTarget(target, own)];
  return exclusions.flatMap((exclusion) => {
    const means =
      exclusion.by === 'address'
        ? addresses.some((address) => overlap(exclusion.address, address))
        : groups.some((group) => group === exclusion.group) || own.some((process) => isItsOwn(exclusion, process));
    return means ? [exclusion.word] : [];
  });
}

/** By an id that no other process has. */
const isItsOwn = ({ key, value }: Extract<Exclusion, { by: 'locality' }>, { status }: ListedProcess): boolean =>
  (key === 'process_id' || key === 'processid') && localityOf(status, key) === value;
