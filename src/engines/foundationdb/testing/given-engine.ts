import { name } from '../../../model/ids.ts';
import { instant } from '../../../model/time.ts';
import type { Target } from '../../engine.ts';
import type { Fdbcli } from '../fdbcli.ts';
import type { FoundationDBOptions } from '../foundationdb.ts';
import { FoundationDBEngine } from '../foundationdb.ts';

export const now = instant(Date.parse('2026-11-15T00:00:00Z'));

export const givenEngine = (fdbcli: Fdbcli, given: Partial<FoundationDBOptions> = {}): FoundationDBEngine =>
  new FoundationDBEngine({
    fdbcli,
    now: () => now,
    database: { redundancyMode: 'double', storageEngine: 'ssd' },
    ...given,
  });

/** Strings where the model has names. */
export const givenTarget = (
  group: string,
  {
    processes = [],
    addresses = [],
  }: { readonly processes?: readonly string[]; readonly addresses?: readonly string[] } = {},
): Target => ({ group: name(group), processes: processes.map((id) => name(id)), addresses });

export const untilAborted = new AbortController().signal;

/** `EngineRefused: words`, `EngineUnreachable: words`, or `done`. */
export async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return String(error);
  }
}
