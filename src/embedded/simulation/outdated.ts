import { groupLabels } from '../../operator/stateful-cluster/marks.ts';
import type { JsonObject, JsonValue } from '../api-server/json.ts';
import { at, listAt, textAt } from '../api-server/json.ts';
import type { World } from '../api-server/world.ts';
import { storedAs } from '../cluster/resources.ts';
import { namespace } from './subject.ts';

const imageIn = (pod: JsonValue | undefined): string => textAt(listAt(pod, 'spec', 'containers')[0], 'image');
const sizeIn = (claim: JsonValue | undefined): string => textAt(claim, 'resources', 'requests', 'storage');

/** A pod or a claim that is not what the spec asks for. Read off the objects themselves, so that a hash that lies is found. */
export function outdated(cluster: JsonObject, { store }: World): string | undefined {
  const roles = new Map(listAt(cluster, 'spec', 'roles').map((role) => [textAt(role, 'name'), role]));
  const roleOf = (object: JsonObject) => roles.get(textAt(object, 'metadata', 'labels', groupLabels.role));
  for (const { object } of store.collection(storedAs.pods).entries(namespace)) {
    const role = roleOf(object);
    if (role !== undefined && imageIn(object) !== imageIn(at(role, 'template'))) return nameOf(object);
  }
  for (const { object } of store.collection(storedAs.claims).entries(namespace)) {
    const role = roleOf(object);
    if (role !== undefined && sizeIn(at(object, 'spec')) !== sizeIn(at(role, 'volumeClaimTemplate')))
      return nameOf(object);
  }
  return undefined;
}

const nameOf = (object: JsonObject): string => textAt(object, 'metadata', 'name');
