import type { StatefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { KeyText } from '../../kube/object.ts';

/** A StatefulCluster as it was read, with every default in its place. */
export interface Cluster {
  readonly key: KeyText;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** The version that a status is written onto. */
  readonly resourceVersion: string;
  readonly spec: StatefulClusterSpec;
  readonly status: StatefulClusterStatus;
}
