import type { Cluster } from './cluster.ts';
import type { Role } from './pod-template.ts';

/** What the objects of a process group that outlive its pod say of how it was made. */
export interface Kept {
  /** The address of its service; null: it has none, or none yet. */
  readonly publicIP: string | null;
  /** Its claim, and for how many processes there is data on it; null: not known. */
  readonly claim: { readonly processes: number | null } | null;
}

/**
 * The spec as a process group was made from it. What of the spec only a replacement can follow does not reach one that is still to be replaced by
 * its pod being made again: it would come back under another address, without its volume, or without the processes whose data is on it.
 */
export function asMade(cluster: Cluster, role: Role, { publicIP, claim }: Kept): { cluster: Cluster; role: Role } {
  return {
    cluster: publicIP === null ? cluster : { ...cluster, spec: { ...cluster.spec, publicIPSource: 'Service' } },
    role:
      claim === null
        ? role
        : {
            ...role,
            processesPerPod: claim.processes ?? role.processesPerPod,
            volumeClaimTemplate: role.volumeClaimTemplate ?? {},
          },
  };
}
