import type { KubeObject, ObjectKey } from '../../kube/object.ts';
import type { JsonObject } from '../api-server/json.ts';
import { at, numberAt, textAt } from '../api-server/json.ts';
import type { Place } from './subject.ts';

/** An object as the API server has it. Throws where it is gone: nobody deletes it in a run. */
export function storedObject({ cluster }: Place, collection: string, { namespace = '', name }: ObjectKey): JsonObject {
  const stored = cluster.world.store.collection(collection).get(namespace, name);
  if (stored === undefined) throw new Error(`${namespace}/${name} is gone`);
  return stored.object;
}

/** Stored objects are never changed, so what was read of one stays true: the last one is remembered. */
export function readStored<Read>(read: (object: KubeObject) => Read): (stored: JsonObject, type: TypeOf) => Read {
  let last: { readonly stored: JsonObject; readonly read: Read } | undefined;
  return (stored, type) => {
    if (last?.stored !== stored) last = { stored, read: read(kubeObject(stored, type)) };
    return last.read;
  };
}

type TypeOf = Pick<KubeObject, 'apiVersion' | 'kind'>;

/** As much of a stored object as Drover reads of its own kinds. */
function kubeObject(stored: JsonObject, type: TypeOf): KubeObject {
  const generation = numberAt(stored, 'metadata', 'generation');
  const object: KubeObject & { readonly spec: unknown; readonly status: unknown } = {
    ...type,
    metadata: {
      namespace: textAt(stored, 'metadata', 'namespace'),
      name: textAt(stored, 'metadata', 'name'),
      uid: textAt(stored, 'metadata', 'uid'),
      resourceVersion: textAt(stored, 'metadata', 'resourceVersion'),
      ...(generation !== undefined && { generation }),
    },
    spec: at(stored, 'spec'),
    status: at(stored, 'status'),
  };
  return object;
}
