import { statefulCluster } from '../../../api/kinds.ts';
import { processGroupID } from '../../../api/v1alpha1/names.schema.ts';
import type { KubeObject } from '../../../kube/object.ts';
import type { ProcessGroupId, RoleName } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Cluster } from '../cluster.ts';
import { groupLabels } from '../marks.ts';

/** Whose an object is, by its labels and its owner. */
export interface Belonging {
  readonly namespace: string;
  /** The name of the StatefulCluster that it is labelled with. */
  readonly cluster: string;
  readonly role: RoleName;
  readonly group: ProcessGroupId;
  /** The uid of the StatefulCluster that owns it; null: nothing controls it. `other`: something else does. */
  readonly owner: string | null;
}

/** Stands for an owner that is no StatefulCluster: no uid looks like this. */
const somethingElse = 'other';

/** Whose an object is; undefined where its labels do not say, or not in a way that Drover writes. */
export function belongingOf({ metadata }: KubeObject): Belonging | undefined {
  const labels = metadata.labels ?? {};
  const cluster = labels[groupLabels.cluster];
  const role = labels[groupLabels.role];
  const group = labels[groupLabels.processGroup];
  if (cluster === undefined || role === undefined || group === undefined || metadata.namespace === undefined) return;
  if (cluster === '' || role === '' || !processGroupID.safeParse(group).success) return;
  const controller = metadata.ownerReferences?.find((reference) => reference.controller === true);
  const isOurs = controller?.kind === statefulCluster.kind;
  const owner = controller === undefined ? null : isOurs ? controller.uid : somethingElse;
  return { namespace: metadata.namespace, cluster, role: name(role), group: name(group), owner };
}

/**
 * Whether an object belongs to this very cluster: by its labels, and not to another that has or had the same name. One that nothing owns yet
 * is taken by its labels.
 */
export function belongsTo(cluster: Pick<Cluster, 'namespace' | 'name' | 'uid'>, belonging: Belonging): boolean {
  if (belonging.namespace !== cluster.namespace || belonging.cluster !== cluster.name) return false;
  return belonging.owner === null || belonging.owner === cluster.uid;
}
