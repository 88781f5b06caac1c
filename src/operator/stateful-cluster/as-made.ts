import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from './cluster.ts';
import type { Role } from './pod-template.ts';
import { templateOf } from './pod-template.ts';
import { podSpecHash } from './spec-hash.ts';

/** What the objects of a process group that outlive its pod say of how it was made. */
export interface Kept {
  /** The address of its service; null: it has none, or none yet. */
  readonly publicIP: string | null;
  readonly claim: KeptClaim | null;
}

/** What a claim says of the pod that it was made for. null: it does not say. */
export interface KeptClaim {
  /** For how many processes there is data on it. */
  readonly processes: number | null;
  readonly nodeSelector: Readonly<Record<string, string>> | null;
  /** Whether the volume can be used on another node. */
  readonly travels: boolean;
}

/**
 * The spec as a process group was made from it. What of the spec only a replacement can follow does not reach one that is still to be replaced by
 * its pod being made again: it would come back under another address, without its volume, without the processes whose data is on it, or, where the
 * volume stays on its node, not at all.
 */
export function asMade(cluster: Cluster, role: Role, { publicIP, claim }: Kept): { cluster: Cluster; role: Role } {
  return {
    cluster: publicIP === null ? cluster : { ...cluster, spec: { ...cluster.spec, publicIPSource: 'Service' } },
    role: claim === null ? role : { ...role, ...claimed(cluster, role, claim) },
  };
}

/** Whether the pod of that hash would be another one if it were made again: else it would be made again for ever. */
export function wouldChange(specHash: string, cluster: Cluster, role: Role, kept: Kept): boolean {
  return specHash !== hashAsMade(cluster, role, kept);
}

/** Kept for as long as the spec is the same object: it is asked for every pod that is not as wanted, at every look. */
const hashes = new WeakMap<Cluster['spec'], Map<string, string>>();

function hashAsMade(cluster: Cluster, role: Role, kept: Kept): string {
  const known = hashes.get(cluster.spec) ?? new Map<string, string>();
  hashes.set(cluster.spec, known);
  const key = JSON.stringify([role.name, kept.publicIP === null, kept.claim]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const made = asMade(cluster, role, kept);
  const hash = podSpecHash(made.cluster, made.role);
  known.set(key, hash);
  return hash;
}

function claimed(cluster: Cluster, role: Role, { processes, nodeSelector, travels }: KeptClaim): Partial<Role> {
  const template = templateOf(cluster, role);
  const isElsewhere =
    !travels && nodeSelector !== null && !isDeepStrictEqual(nodeSelector, template.spec.nodeSelector ?? {});
  return {
    processesPerPod: processes ?? role.processesPerPod,
    volumeClaimTemplate: role.volumeClaimTemplate ?? {},
    ...(isElsewhere && { template: { ...template, spec: { ...template.spec, nodeSelector } } }),
  };
}
