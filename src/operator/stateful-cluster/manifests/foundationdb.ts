import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Cluster } from '../cluster.ts';
import { connectionKey, connectionName } from '../connection.ts';
import { madeFrom } from '../marks.ts';
import type { Role } from '../pod-template.ts';
import type { EngineNeeds } from './engine-needs.ts';
import { fromField, zoneVariable } from './environment.ts';
import { fdbserverScript, portOf } from './fdbserver-script.ts';

const volumeName = 'drover-connection';
const connectionPath = '/var/drover/connection';

/**
 * The database finds itself by a ConfigMap that need not be there yet: the first coordinators are chosen among pods that run. Names of
 * variables are those of FoundationDB's own images and operator, where they have one.
 */
export function foundationdbNeeds(cluster: Cluster, role: Role, group: ProcessGroupId): EngineNeeds {
  const { name, key } = cluster.spec.engine.foundationdb?.connectionString ?? {
    name: connectionName(cluster),
    key: connectionKey,
  };
  const isService = cluster.spec.publicIPSource === 'Service';
  return {
    dataPath: '/var/fdb/data',
    ports: Array.from({ length: role.processesPerPod }, (_, index) => portOf(index + 1)),
    environment: [
      { name: 'FDB_CLUSTER_FILE', value: `${connectionPath}/${connectionKey}` },
      { name: 'FDB_INSTANCE_ID', value: group },
      { name: 'FDB_PROCESS_CLASS', value: classOf(role.name) },
      zoneVariable('FDB_ZONE_ID', cluster),
      fromField('FDB_MACHINE_ID', 'spec.nodeName'),
      fromField('FDB_POD_IP', 'status.podIP'),
      fromField('FDB_PUBLIC_IP', isService ? `metadata.annotations['${madeFrom.publicIP}']` : 'status.podIP'),
    ],
    volumes: [{ name: volumeName, configMap: { name, items: [{ key, path: connectionKey }], optional: true } }],
    mounts: [{ name: volumeName, mountPath: connectionPath, readOnly: true }],
    // Not `command`: the image's entry point hands signals on.
    args: (dataPath) => ['/bin/bash', '-c', fdbserverScript({ data: dataPath, logs: '/var/fdb/logs' })],
  };
}

/** The class that `fdbserver --class` knows the role by: a process that does anything has none. */
const classOf = (role: string): string => (role === 'general' ? 'unset' : role);
