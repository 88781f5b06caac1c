import type { ProcessGroupId } from '../../model/ids.ts';
import type { Cluster } from './cluster.ts';

/** A fault that `spec.buggify` builds into a pod. */
export type PodFault = 'crash-loop' | 'no-schedule' | 'empty-monitor-conf';

/**
 * The faults that the pod of a process group is to have. A pod whose annotation `drover.dev/faults` says otherwise has to be made again:
 * people who inject a fault want it now, and want it gone when they take it back.
 */
export function faultsOf({ spec: { buggify } }: Cluster, group: ProcessGroupId): readonly PodFault[] {
  const names = (targets: readonly string[]): boolean => targets.includes('*') || targets.includes(group);
  const faults: readonly [PodFault, boolean][] = [
    ['crash-loop', names(buggify.crashLoop)],
    ['no-schedule', names(buggify.noSchedule)],
    ['empty-monitor-conf', buggify.emptyMonitorConf],
  ];
  return faults.filter(([, wanted]) => wanted).map(([fault]) => fault);
}

/** The faults as the annotation writes them; empty: none. */
export const faultsText = (faults: readonly PodFault[]): string => faults.join(',');
