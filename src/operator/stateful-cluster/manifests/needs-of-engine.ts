import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Cluster } from '../cluster.ts';
import type { Role } from '../pod-template.ts';
import type { EngineNeeds } from './engine-needs.ts';
import { foundationdbNeeds } from './foundationdb.ts';

/** An engine whose images need to be told nothing. */
const plain = (dataPath: string, ports: readonly number[]): EngineNeeds => ({
  dataPath,
  ports,
  environment: [],
  volumes: [],
  mounts: [],
});

/** What the cluster's engine asks of a pod of this process group. */
export function needsOfEngine(cluster: Cluster, role: Role, group: ProcessGroupId): EngineNeeds {
  const { engine } = cluster.spec;
  switch (engine.type) {
    case 'foundationdb':
      return foundationdbNeeds(cluster, role, group);
    case 'arangodb':
      return plain('/var/lib/arangodb3', [engine.arangodb?.port ?? 8529]);
    case 'etcd':
      return plain('/var/lib/etcd', [engine.etcd?.port ?? 2379, 2380]);
    case 'redis': {
      const port = engine.redis?.port ?? 6379;
      // The cluster bus listens 10,000 above.
      return plain('/data', port + 10_000 <= 65_535 ? [port, port + 10_000] : [port]);
    }
    case 'http':
      return plain('/data', engine.http?.port === undefined ? [] : [engine.http.port]);
  }
}
