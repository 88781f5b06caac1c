import type { Fdbcli } from '../../../../engines/foundationdb/fdbcli.ts';
import type { FoundationDBOptions } from '../../../../engines/foundationdb/foundationdb.ts';
import { FoundationDBEngine } from '../../../../engines/foundationdb/foundationdb.ts';
import { instant } from '../../../../model/time.ts';
import type { FoundationDB } from '../foundationdb.ts';

/** The model's own fdbcli as the way to it, without a program in between. */
export const fdbcliOf =
  (database: FoundationDB): Fdbcli =>
  async (argv, { signal }) => {
    const { code, stdout, stderr } = await database.fdbcli(argv, '', { signal });
    return { exitCode: code, stdout, stderr };
  };

/** The engine that ships, over a model. */
export const givenAdapter = (
  world: { readonly database: FoundationDB; readonly clock: { now(): number } },
  given: Partial<FoundationDBOptions> = {},
): FoundationDBEngine =>
  new FoundationDBEngine({
    fdbcli: fdbcliOf(world.database),
    now: () => instant(world.clock.now()),
    database: { redundancyMode: 'double', storageEngine: 'ssd' },
    ...given,
  });
