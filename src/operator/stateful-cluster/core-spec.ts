import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Cluster } from './cluster.ts';
import { clusterSpecOf } from './cluster-spec.ts';
import { shapeOf } from './pod-shape.ts';

const known = new WeakMap<Cluster['spec'], ClusterSpec>();

/** A cluster's spec as the core knows it. Kept for as long as the spec is the same object: its hashes cost more than a decision. */
export function coreSpecOf(cluster: Cluster): ClusterSpec {
  const before = known.get(cluster.spec);
  if (before !== undefined) return before;
  const spec = clusterSpecOf(cluster.spec, (role) => shapeOf(cluster, role));
  known.set(cluster.spec, spec);
  return spec;
}
