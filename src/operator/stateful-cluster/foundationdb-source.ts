import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnreachable } from '../../engines/engine.ts';
import { writeClusterFile } from '../../engines/foundationdb/cluster-file.ts';
import type { Fdbcli } from '../../engines/foundationdb/fdbcli.ts';
import { FoundationDBEngine } from '../../engines/foundationdb/foundationdb.ts';
import { localFdbcli } from '../../engines/foundationdb/local-fdbcli.ts';
import { timeLimits } from '../../engines/foundationdb/session.ts';
import type { Clock } from '../../kube/clock.ts';
import { instant, seconds } from '../../model/time.ts';
import type { Cluster } from './cluster.ts';
import type { EngineSource, EngineSurroundings } from './engine-source.ts';
import { podFdbcli } from './pod-fdbcli.ts';

/** How fdbcli of a cluster is run. */
export type FdbcliSource = (cluster: Cluster, surroundings: EngineSurroundings) => Fdbcli;

/** FoundationDB through fdbcli. */
export const foundationdbSource =
  (clock: Clock, fdbcliOf: FdbcliSource = fdbcliAsTold): EngineSource =>
  (cluster, surroundings) => {
    const { redundancyMode = 'double', storageEngine = 'ssd-2', fdbcli } = cluster.spec.engine.foundationdb ?? {};
    const usual = seconds(fdbcli?.timeoutSeconds ?? timeLimits.usual);
    return new FoundationDBEngine({
      fdbcli: fdbcliOf(cluster, surroundings),
      now: () => instant(clock.now()),
      database: { redundancyMode, storageEngine },
      groupAt: (host) => surroundings.groupAt(host),
      avoid: (group) => surroundings.leaves(group),
      limits: { usual, most: usual > timeLimits.most ? usual : timeLimits.most },
    });
  };

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
function operatorsFdbcli({ key }: Cluster, path: string, surroundings: EngineSurroundings): Fdbcli {
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
