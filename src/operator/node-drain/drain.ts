import { nodeDrain } from '../../api/kinds.ts';
import { parseObject } from '../../api/parse.ts';
import type { NodeDrainSpec, NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { KubeObject } from '../../kube/object.ts';

/** A NodeDrain as it was read, with every default in its place. */
export interface ReadDrain {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** The version that a status is written onto. */
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  readonly spec: NodeDrainSpec;
  readonly status: NodeDrainStatus;
}

/** A NodeDrain as the API server gave it. Throws `InvalidObjectError`. */
export function readDrain(object: KubeObject): ReadDrain {
  const { spec, status } = parseObject(nodeDrain, object);
  const { name, uid = '', generation = 0, resourceVersion = '', finalizers = [] } = object.metadata;
  return { name, uid, generation, resourceVersion, finalizers, spec, status };
}
