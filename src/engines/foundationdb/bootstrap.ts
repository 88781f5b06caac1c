import { EngineRefused, EngineUnreachable } from '../engine.ts';
import type { Session } from './session.ts';
import { neverCreated, soundStatus } from './sound-status.ts';

/** The first configuration of a database. */
export interface NewDatabase {
  /** How many copies there are of everything. */
  readonly redundancyMode: 'single' | 'double' | 'triple';
  /** `ssd`, `memory`, `ssd-redwood-1`...: as `configure` has it. */
  readonly storageEngine: string;
}

/** Creates the database where there is none. One that exists keeps its configuration, whatever this one says. */
export async function bootstrap(
  session: Session,
  { redundancyMode, storageEngine }: NewDatabase,
  signal: AbortSignal,
): Promise<void> {
  const before = await session.status(signal);
  if (!neverCreated(before)) return void soundStatus(before);
  try {
    await session.tell(['configure', 'new', redundancyMode, storageEngine], signal, 'most');
  } catch (error) {
    // Someone else was faster. `configure new` changes nothing then.
    if (error instanceof EngineRefused && error.message.includes('already exists')) return;
    throw error;
  }
  if (neverCreated(await session.status(signal)))
    throw new EngineUnreachable('fdbcli says that it created the database, and the coordinators know of none');
}
