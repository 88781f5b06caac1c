import { statefulCluster } from '../../api/kinds.ts';
import { parseObject } from '../../api/parse.ts';
import type { KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Cluster } from './cluster.ts';

/**
 * A StatefulCluster as the API server gave it, with every default in its place. Throws `InvalidObjectError`. `known` is the spec of the same
 * generation, if it was read before.
 */
export function readCluster(object: KubeObject, known?: Cluster['spec']): Cluster {
  const { spec, status } = parseObject(statefulCluster, object, known);
  const { namespace = '', name, uid = '', generation = 0, resourceVersion = '' } = object.metadata;
  return { key: keyText({ namespace, name }), namespace, name, uid, generation, resourceVersion, spec, status };
}
