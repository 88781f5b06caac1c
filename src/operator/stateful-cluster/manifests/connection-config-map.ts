import type { ConfigMap } from '../../resources.ts';
import type { Cluster } from '../cluster.ts';
import { connectionKey, connectionName } from '../connection.ts';
import { groupLabels, ownerReferenceTo } from '../marks.ts';

/** The ConfigMap that tells the pods of a FoundationDB cluster, and its clients, where the coordinators are. */
export function connectionConfigMapFor(cluster: Cluster, connectionString: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: cluster.namespace,
      name: connectionName(cluster),
      labels: { [groupLabels.cluster]: cluster.name },
      ownerReferences: [ownerReferenceTo(cluster)],
    },
    data: { [connectionKey]: `${connectionString}\n` },
  };
}
