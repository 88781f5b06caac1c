import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { foundationdbCluster } from '../../api/v1alpha1/engine.schema.ts';
import { EngineUnreachable } from '../../engines/engine.ts';
import { writeClusterFile } from '../../engines/foundationdb/cluster-file.ts';
import type { Fdbcli } from '../../engines/foundationdb/fdbcli.ts';
import { FoundationDBEngine } from '../../engines/foundationdb/foundationdb.ts';
import { localFdbcli } from '../../engines/foundationdb/local-fdbcli.ts';
import { timeLimits } from '../../engines/foundationdb/session.ts';
import type { Clock } from '../../kube/clock.ts';
import { instant, seconds } from '../../model/time.ts';
import type { EngineSource, EngineSubject, EngineSurroundings } from './engine-source.ts';
import { podFdbcli } from './pod-fdbcli.ts';

type FoundationDBCluster = Readonly<z.output<typeof foundationdbCluster>>;

/** How fdbcli of a cluster is run. */
export type FdbcliSource = (subject: EngineSubject, surroundings: EngineSurroundings) => Fdbcli;

/** FoundationDB through fdbcli. */
export const foundationdbSource =
  (clock: Clock, fdbcliOf: FdbcliSource = fdbcliAsTold): EngineSource =>
  (subject, surroundings) => {
    const usual = seconds(subject.spec.engine.foundationdb?.fdbcli?.timeoutSeconds ?? timeLimits.usual);
    return new FoundationDBEngine({
      fdbcli: fdbcliOf(subject, surroundings),
      now: () => instant(clock.now()),
      database: databaseOf(subject),
      groupAt: (host) => surroundings.groupAt(host),
      avoid: (group) => surroundings.leaves(group),
      limits: { usual, most: usual > timeLimits.most ? usual : timeLimits.most },
    });
  };

/** What a new database is configured as. A guard never makes one. */
function databaseOf({ spec }: EngineSubject): Pick<FoundationDBCluster, 'redundancyMode' | 'storageEngine'> {
  const given = spec.engine.foundationdb;
  return given !== undefined && 'redundancyMode' in given ? given : foundationdbCluster.parse({});
}

/** Where `spec.engine.foundationdb.fdbcli` says, once there is anything to be reached. */
const fdbcliAsTold: FdbcliSource = (cluster, surroundings) => {
  const { runIn = 'Pod', container = 'foundationdb', path = 'fdbcli' } = cluster.spec.engine.foundationdb?.fdbcli ?? {};
  const fdbcli =
    runIn === 'Pod' ? podFdbcli({ container, path }, surroundings) : operatorsFdbcli(cluster, path, surroundings);
  return async (argv, call) => {
    if (surroundings.connectionString() === null)
      throw new EngineUnreachable('there is no connection string yet: the first pods have to come up');
    return fdbcli(argv, call);
  };
};

/**
 * The program in the operator's own container. It has a cluster file of its own, which is written once, from the connection string on record: from
 * then on the client library keeps it.
 */
function operatorsFdbcli({ key }: EngineSubject, path: string, surroundings: EngineSurroundings): Fdbcli {
  const folder = mkdtempSync(join(tmpdir(), 'drover-fdb-'));
  const clusterFile = join(folder, `${key.replace('/', '.')}.cluster`);
  const fdbcli = localFdbcli({ command: [path], clusterFile });
  let written: Promise<void> | undefined;
  return async (argv, call) => {
    written ??= writeClusterFile(clusterFile, surroundings.connectionString() ?? '');
    await written;
    return fdbcli(argv, call);
  };
}
