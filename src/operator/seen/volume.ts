import type { KeyText, KubeObject } from '../../kube/object.ts';

/** What is read of a persistent volume. */
export interface Volume extends KubeObject {
  readonly spec?: {
    readonly local?: unknown;
    readonly hostPath?: unknown;
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms?: readonly Term[] } };
    readonly [source: string]: unknown;
  };
}

interface Term {
  readonly matchExpressions?: readonly { readonly key: string }[];
  readonly matchFields?: readonly unknown[];
}

/** What is kept of a persistent volume. */
export interface VolumeView {
  readonly key: KeyText;
  readonly version: string;
  readonly travels: boolean;
}

/** The projection of a cache of volumes. */
export const volumeView = (volume: Volume): VolumeView => ({
  key: volume.metadata.name,
  version: volume.metadata.resourceVersion ?? '',
  travels: volumeTravels(volume),
});

/** `topology.kubernetes.io/zone`, `topology.ebs.csi.aws.com/zone`, `failure-domain.beta.kubernetes.io/region`... */
const wideArea = /\/(zone|region)$/;

/**
 * Whether a volume can be used on another node. One that is bound to a zone or a region can; every other affinity is taken for one to a node,
 * because drivers of local disks each have their own key for it.
 */
function volumeTravels({ spec }: Volume): boolean {
  if (spec === undefined || spec.local !== undefined || spec.hostPath !== undefined) return false;
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.every(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchFields.length === 0 && matchExpressions.every(({ key }) => wideArea.test(key)),
  );
}
