import type { MaintenanceWindow } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import type { Session } from './session.ts';
import { isAvailable } from './sound-status.ts';

/**
 * Begins maintenance of a zone, or ends it. There is one zone at a time, and a second one would silently take its place, so that is refused.
 * Begun again for the same zone, its time starts anew.
 */
export async function maintenance(
  session: Session,
  window: MaintenanceWindow | null,
  signal: AbortSignal,
): Promise<void> {
  const before = (await session.statusOfAvailable(signal)).cluster.maintenance_zone;
  if (window === null && before === undefined) return;
  if (window !== null && before !== undefined && before !== window.zone)
    throw new EngineRefused(
      `zone ${before} is under maintenance, and only one zone can be: ${window.zone} waits for it to end`,
    );
  await session.tell(window === null ? ['maintenance', 'off'] : wordsFor(window), signal);
  const after = await session.status(signal);
  const zone = after.cluster?.maintenance_zone;
  // A database that is not up does not tell.
  if (!isAvailable(after) || zone === window?.zone) return;
  throw new EngineUnreachable(
    `fdbcli took the maintenance, and the database has ${zone === undefined ? 'none' : `zone ${zone}`} under it`,
  );
}

function wordsFor({ zone, time }: MaintenanceWindow): readonly string[] {
  if (!Number.isFinite(time) || time <= 0) throw new EngineRefused(`maintenance cannot last ${time} s`);
  return ['maintenance', 'on', zone, String(Math.ceil(time))];
}
