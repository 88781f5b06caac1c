import { groupLabels, madeFrom } from '../../operator/stateful-cluster/marks.ts';
import type { JsonObject, JsonValue } from '../api-server/json.ts';
import { at, equal, listAt, numberAt, objectAt, textAt } from '../api-server/json.ts';
import type { World } from '../api-server/world.ts';
import { storedAs } from '../cluster/resources.ts';
import { namespace } from './subject.ts';

const sizeIn = (claim: JsonValue | undefined): string => textAt(claim, 'resources', 'requests', 'storage');

/** A pod or a claim that is not what the spec asks for. Read off the objects themselves, so that a hash that lies is found. */
export function outdated(cluster: JsonObject, { store }: World): string | undefined {
  const spec = objectAt(cluster, 'spec');
  const roles = new Map(listAt(spec, 'roles').map((role) => [textAt(role, 'name'), role]));
  const roleOf = (object: JsonObject) => roles.get(textAt(object, 'metadata', 'labels', groupLabels.role));
  for (const { object } of store.collection(storedAs.pods).entries(namespace)) {
    const role = roleOf(object);
    if (role !== undefined && !equal(made(object), wanted(spec, role))) return nameOf(object);
  }
  for (const { object } of store.collection(storedAs.claims).entries(namespace)) {
    const role = roleOf(object);
    if (role !== undefined && sizeIn(at(object, 'spec')) !== sizeIn(at(role, 'volumeClaimTemplate')))
      return nameOf(object);
  }
  return undefined;
}

/** All that people change about a pod in a run, as the pod has it. */
function made(pod: JsonObject): JsonObject {
  const [container] = listAt(pod, 'spec', 'containers');
  const variable = listAt(container, 'env').find((one) => textAt(one, 'name') === 'DROVER_PROCESSES_PER_POD');
  const id = textAt(pod, 'metadata', 'labels', groupLabels.processGroup);
  const rest = `${textAt(pod, 'metadata', 'labels', groupLabels.role)}-`;
  return {
    ...asked(pod),
    processes: Number(textAt(variable, 'value')),
    prefix: id.slice(0, id.lastIndexOf(rest)),
    publicIP: textAt(pod, 'metadata', 'annotations', madeFrom.publicIP) === '' ? 'Pod' : 'Service',
  };
}

/** The same, as the spec has it. */
function wanted(spec: JsonObject, role: JsonValue): JsonObject {
  const prefix = textAt(spec, 'processGroupIDPrefix');
  return {
    ...asked(at(role, 'template')),
    processes: numberAt(role, 'processesPerPod') ?? 1,
    prefix: prefix === '' ? '' : `${prefix}-`,
    publicIP: textAt(spec, 'publicIPSource') || 'Pod',
  };
}

function asked(pod: JsonValue | undefined): JsonObject {
  const [container] = listAt(pod, 'spec', 'containers');
  return {
    image: textAt(container, 'image'),
    cpu: textAt(container, 'resources', 'requests', 'cpu'),
    nodeSelector: objectAt(pod, 'spec', 'nodeSelector'),
  };
}

const nameOf = (object: JsonObject): string => textAt(object, 'metadata', 'name');
