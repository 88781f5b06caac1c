import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Cluster } from '../cluster.ts';
import type { PodFault } from '../faults.ts';
import type { Role } from '../pod-template.ts';

/** One variable of a container's environment. */
export type Variable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
};

/** A variable that the kubelet fills in from the pod itself. */
export function fromField(name: string, fieldPath: string): Variable {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } };
}

/**
 * The zone of a pod. A node's labels are not open to its pods; Kubernetes 1.35 and later copies zone and region onto the pod when it is bound.
 * With any other key the variable is empty, unless something else labels the pod so before it starts.
 */
export function zoneVariable(name: string, { spec }: Cluster): Variable {
  const { key } = spec.faultDomain;
  return fromField(name, key === 'kubernetes.io/hostname' ? 'spec.nodeName' : `metadata.labels['${key}']`);
}

/** What every container of a process group is told. */
export function droverEnvironment(
  cluster: Cluster,
  role: Role,
  group: ProcessGroupId,
  faults: readonly PodFault[],
): readonly Variable[] {
  return [
    { name: 'DROVER_CLUSTER', value: cluster.name },
    { name: 'DROVER_ROLE', value: role.name },
    { name: 'DROVER_PROCESS_GROUP', value: group },
    zoneVariable('DROVER_ZONE', cluster),
    { name: 'DROVER_PROCESSES_PER_POD', value: String(role.processesPerPod) },
    ...(faults.includes('empty-monitor-conf') ? [{ name: 'DROVER_EMPTY_MONITOR_CONF', value: 'true' }] : []),
  ];
}
