import type { World } from '../../api-server/world.ts';
import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import { type ClaimView, claimAt, storageClassAt, volumeAt } from '../storage/disk-view.ts';
import { matchesTerms } from './node-selector.ts';

/** Reasons by `volumebinding/binder.go`. */
const reasons = {
  conflict: "node(s) didn't match PersistentVolume's node affinity",
  nothingToBind: "node(s) didn't find available persistent volumes to bind",
  noVolume: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const;

/** The disks of a pod as the scheduler sees them. */
export interface PodDisks {
  /** The pod cannot be placed anywhere before this changes. */
  readonly obstacle: string | undefined;
  readonly bound: readonly ClaimView[];
  /** Claims whose disk will be made for the node that is chosen. */
  readonly waiting: readonly ClaimView[];
  /** The obstacle is only that a claim has its disk and is not said to be bound yet: the node that was chosen stays chosen. */
  readonly isBinding?: true;
}

export function disksOf(world: World, pod: PodView): PodDisks {
  const bound: ClaimView[] = [];
  const waiting: ClaimView[] = [];
  for (const name of pod.claims) {
    const claim = claimAt(world, pod.namespace, name);
    if (claim === undefined) return { obstacle: `persistentvolumeclaim "${name}" not found`, bound, waiting };
    if (claim.isDeleting) return { obstacle: `persistentvolumeclaim "${name}" is being deleted`, bound, waiting };
    if (claim.phase === 'Bound') bound.push(claim);
    else if (claim.volume === '' && storageClassAt(world, claim.storageClass)?.waitsForConsumer === true) {
      waiting.push(claim);
    } else {
      const obstacle = 'pod has unbound immediate PersistentVolumeClaims';
      return { obstacle, bound, waiting, ...(claim.volume !== '' && { isBinding: true }) };
    }
  }
  return { obstacle: undefined, bound, waiting };
}

/** What of the pod's disks speaks against the node. */
export function diskFaults(world: World, disks: PodDisks, node: NodeView): string[] {
  const faults = new Set<string>();
  for (const { volume: name } of disks.bound) {
    const volume = volumeAt(world, name);
    if (volume === undefined) faults.add(reasons.noVolume);
    else if (volume.nodeTerms !== undefined && !matchesTerms(volume.nodeTerms, node)) faults.add(reasons.conflict);
  }
  const unmakeable = disks.waiting.some(
    (claim) => (storageClassAt(world, claim.storageClass)?.provisioner ?? '') === 'kubernetes.io/no-provisioner',
  );
  if (unmakeable) faults.add(reasons.nothingToBind);
  return [...faults];
}
