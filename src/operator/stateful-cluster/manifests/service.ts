import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Service } from '../../resources.ts';
import type { Cluster } from '../cluster.ts';
import { labelsOf, objectNames, ownerReferenceTo } from '../marks.ts';
import type { Role } from '../pod-template.ts';
import { templateOf } from '../pod-template.ts';
import { needsOfEngine } from './needs-of-engine.ts';

/** Where nothing says on which port a system listens. A Service must have one. */
const anyPort = 80;

/**
 * The Service whose address is the public one of a process group, where `publicIPSource` is Service. Its ports are the engine's, or
 * else those of the template's first container. It leads to its pod also while that is not ready: processes must meet to get ready.
 */
export function serviceFor(cluster: Cluster, role: Role, group: ProcessGroupId): Service {
  const { ports: known } = needsOfEngine(cluster, role, group);
  const declared = templateOf(cluster, role).spec.containers[0]?.ports?.map(({ containerPort }) => containerPort) ?? [];
  const numbers = [...new Set(known.length > 0 ? known : declared.length > 0 ? declared : [anyPort])];
  const labels = labelsOf(cluster, role.name, group);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: cluster.namespace,
      name: objectNames.service(cluster.name, group),
      labels,
      ownerReferences: [ownerReferenceTo(cluster)],
    },
    spec: {
      type: 'ClusterIP',
      selector: labels,
      publishNotReadyAddresses: true,
      ports: numbers.map((port) => ({ name: `port-${port}`, port, targetPort: port, protocol: 'TCP' })),
    },
  };
}
