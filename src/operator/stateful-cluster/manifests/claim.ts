import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Claim } from '../../resources.ts';
import type { Cluster } from '../cluster.ts';
import { labelsOf, madeFrom, objectNames, ownerReferenceTo } from '../marks.ts';
import type { Role } from '../pod-template.ts';
import { claimSpecHash } from '../spec-hash.ts';

/** The claim of a process group whose role has a volume. */
export function claimFor(cluster: Cluster, role: Role, group: ProcessGroupId): Claim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: cluster.namespace,
      name: objectNames.claim(cluster.name, group),
      labels: labelsOf(cluster, role.name, group),
      annotations: { [madeFrom.specHash]: claimSpecHash(role), [madeFrom.processes]: String(role.processesPerPod) },
      ownerReferences: [ownerReferenceTo(cluster)],
    },
    spec: role.volumeClaimTemplate ?? {},
  };
}
