import { statefulCluster } from '../../api/kinds.ts';
import { parseObject } from '../../api/parse.ts';
import type { KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Cluster } from './cluster.ts';

/** A StatefulCluster as the API server gave it, with every default in its place. Throws `InvalidObjectError`. */
export function readCluster(object: KubeObject): Cluster {
  const { spec, status } = parseObject(statefulCluster, object);
  const { namespace = '', name, uid = '', generation = 0, resourceVersion = '' } = object.metadata;
  return { key: keyText({ namespace, name }), namespace, name, uid, generation, resourceVersion, spec, status };
}
