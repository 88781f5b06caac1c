import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnreachable } from '../../engines/engine.ts';
import { writeClusterFile } from '../../engines/foundationdb/cluster-file.ts';
import type { Fdbcli } from '../../engines/foundationdb/fdbcli.ts';
import { FoundationDBEngine } from '../../engines/foundationdb/foundationdb.ts';
import { localFdbcli } from '../../engines/foundationdb/local-fdbcli.ts';
import type { Clock } from '../../kube/clock.ts';
import { instant } from '../../model/time.ts';
import type { Cluster } from './cluster.ts';
import type { EngineSource, EngineSurroundings } from './engine-source.ts';

/** How fdbcli of a cluster is run. */
export type FdbcliSource = (cluster: Cluster, surroundings: EngineSurroundings) => Fdbcli;

/** FoundationDB through fdbcli. */
export const foundationdbSource =
  (clock: Clock, fdbcliOf: FdbcliSource = programFdbcli): EngineSource =>
  (cluster, surroundings) => {
    const { redundancyMode = 'double', storageEngine = 'ssd-2' } = cluster.spec.engine.foundationdb ?? {};
    return new FoundationDBEngine({
      fdbcli: fdbcliOf(cluster, surroundings),
      now: () => instant(clock.now()),
      database: { redundancyMode, storageEngine },
      groupAt: (host) => surroundings.groupAt(host),
      avoid: (group) => surroundings.leaves(group),
    });
  };

/**
 * The program of `spec.engine.foundationdb.fdbcli`, in the operator's own container. It has a cluster file of its own, which is written once, from
 * the connection string on record: from then on the client library keeps it.
 */
const programFdbcli: FdbcliSource = ({ key, spec }, surroundings) => {
  const { runIn = 'Pod', path = 'fdbcli' } = spec.engine.foundationdb?.fdbcli ?? {};
  if (runIn === 'Pod') return () => Promise.reject(new EngineUnreachable(notInPods));
  const folder = mkdtempSync(join(tmpdir(), 'drover-fdb-'));
  const clusterFile = join(folder, `${key.replace('/', '.')}.cluster`);
  const fdbcli = localFdbcli({ command: [path], clusterFile });
  let written: Promise<void> | undefined;
  return async (argv, call) => {
    const known = surroundings.connectionString();
    if (known === null)
      throw new EngineUnreachable('there is no connection string yet: the first pods have to come up');
    written ??= writeClusterFile(clusterFile, known);
    await written;
    return fdbcli(argv, call);
  };
};

const notInPods =
  'this version of Drover cannot run fdbcli inside a pod; set spec.engine.foundationdb.fdbcli.runIn to Operator, with fdbcli in its image';
