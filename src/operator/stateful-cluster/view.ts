import { group, version } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';

/** Where StatefulClusters live in the API. */
export const statefulClusters: Resource<KubeObject> = {
  group,
  version,
  kind: statefulCluster.kind,
  plural: statefulCluster.plural,
  namespaced: true,
};

/** What the controller keeps of a StatefulCluster to know when to look at it again. */
export interface StatefulClusterView {
  readonly key: KeyText;
  readonly version: string;
  readonly generation: number;
  /** What people and the detector write there to have it looked at. */
  readonly annotations: string;
}

export const viewCodec = jsonCodec<KubeObject, StatefulClusterView>(({ metadata }) => ({
  key: keyText(metadata),
  version: metadata.resourceVersion ?? '',
  generation: metadata.generation ?? 0,
  annotations: JSON.stringify(metadata.annotations ?? {}),
}));
