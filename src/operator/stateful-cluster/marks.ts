import { apiVersion } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import type { OwnerReference } from '../../kube/object.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Cluster } from './cluster.ts';

/** Labels and annotations that begin so are Drover's own: a template cannot bring any, least of all one that opens the lock. */
export const reservedPrefix = 'drover.dev/';

/** The labels by which the objects of a process group are found. */
export const groupLabels = {
  cluster: 'drover.dev/cluster',
  role: 'drover.dev/role',
  processGroup: 'drover.dev/process-group',
} as const;

/** The labels by which the CronJob of a cluster's failure detector is found, wherever it lives. Its pods are no pods of the cluster. */
export const detectorLabels = { namespace: 'drover.dev/detects-in', cluster: 'drover.dev/detects' } as const;

/** The annotation with which the failure detector has a cluster looked at: when it saw that something is missing. */
export const detectedAnnotation = 'drover.dev/detected';

/** What objects remember of how they were made. */
export const madeFrom = {
  /** The hash of what was asked for. A person who takes it off asks for the pod to be made again. */
  specHash: 'drover.dev/spec-hash',
  /** The `PodShape`, as JSON. */
  shape: 'drover.dev/shape',
  /** The faults of `spec.buggify` that were built in, separated by commas. */
  faults: 'drover.dev/faults',
  /** Of a claim: the data of how many processes is on it. */
  processes: 'drover.dev/processes',
  /** Of a claim: the `nodeSelector` of the pod that it was made for, as JSON. */
  nodeSelector: 'drover.dev/node-selector',
  /** The address of the process group's Service, where that is its public one. */
  publicIP: 'drover.dev/public-ip',
} as const;

/** The labels of one process group's objects. */
export function labelsOf(cluster: Cluster, role: string, group: ProcessGroupId): Readonly<Record<string, string>> {
  return { [groupLabels.cluster]: cluster.name, [groupLabels.role]: role, [groupLabels.processGroup]: group };
}

/** What makes an object go when its cluster is deleted, and not before. */
export function ownerReferenceTo({ name, uid }: Cluster): OwnerReference {
  return { apiVersion, kind: statefulCluster.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The names of a process group's objects. The rules of the kind see to it that they fit into 63 characters. */
export const objectNames = {
  pod: (cluster: string, group: ProcessGroupId): string => `${cluster}-${group}`,
  claim: (cluster: string, group: ProcessGroupId): string => `${cluster}-${group}-data`,
  service: (cluster: string, group: ProcessGroupId): string => `${cluster}-${group}`,
} as const;
