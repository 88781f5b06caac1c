import { z } from 'zod';
import { group, version } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import type { Reservation } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { reservation } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
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
  readonly namespace: string;
  /** Room that it holds, for as long as it was not looked at since the operator began. */
  readonly reservations: readonly Reservation[];
}

interface StatefulClusterObject extends KubeObject {
  readonly status?: { readonly reservations?: unknown };
}

const recorded = z.array(reservation).catch([]);

export const viewCodec = jsonCodec<StatefulClusterObject, StatefulClusterView>(({ metadata, status }) => ({
  key: keyText(metadata),
  namespace: metadata.namespace ?? '',
  reservations: recorded.parse(status?.reservations),
  version: metadata.resourceVersion ?? '',
  generation: metadata.generation ?? 0,
  annotations: JSON.stringify(metadata.annotations ?? {}),
}));
