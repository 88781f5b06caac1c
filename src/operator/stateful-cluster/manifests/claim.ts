import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Claim } from '../../resources.ts';
import type { Cluster } from '../cluster.ts';
import { labelsOf, madeFrom, objectNames, ownerReferenceTo } from '../marks.ts';
import type { Role } from '../pod-template.ts';
import { templateOf } from '../pod-template.ts';
import { claimSpecHash } from '../spec-hash.ts';

/** A selector that is longer than this is not written down. */
const longestSelector = 4096;

/** The claim of a process group whose role has a volume. It remembers what its pod is made of, for the time after that pod. */
export function claimFor(cluster: Cluster, role: Role, group: ProcessGroupId): Claim {
  const selector = JSON.stringify(templateOf(cluster, role).spec.nodeSelector ?? {});
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: cluster.namespace,
      name: objectNames.claim(cluster.name, group),
      labels: labelsOf(cluster, role.name, group),
      annotations: {
        [madeFrom.specHash]: claimSpecHash(role),
        [madeFrom.processes]: String(role.processesPerPod),
        ...(selector.length <= longestSelector && { [madeFrom.nodeSelector]: selector }),
      },
      ownerReferences: [ownerReferenceTo(cluster)],
    },
    spec: role.volumeClaimTemplate ?? {},
  };
}
