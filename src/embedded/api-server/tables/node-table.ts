import { at, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import { ageColumn, layout, nameColumn } from './layout.ts';

function state(node: JsonObject): string {
  const ready = listAt(node, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
  const word = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = 'node-role.kubernetes.io/';

function roles(node: JsonObject): string {
  const labels = objectAt(node, 'metadata', 'labels');
  const found = Object.keys(labels).flatMap((key) => {
    if (key.startsWith(rolePrefix) && key !== rolePrefix) return [key.slice(rolePrefix.length)];
    const value = labels[key];
    return key === 'kubernetes.io/role' && typeof value === 'string' && value !== '' ? [value] : [];
  });
  return found.length === 0 ? '<none>' : [...new Set(found)].sort().join(',');
}

const address = (type: string) => (node: JsonObject) =>
  textAt(
    listAt(node, 'status', 'addresses').find((each) => textAt(each, 'type') === type),
    'address',
  ) || '<none>';

const info = (name: string) => (node: JsonObject) => textAt(node, 'status', 'nodeInfo', name) || '<unknown>';

export const nodeTable = layout(
  nameColumn,
  ['Status', state],
  ['Roles', roles],
  ageColumn,
  ['Version', (node) => textAt(node, 'status', 'nodeInfo', 'kubeletVersion')],
  ['*Internal-IP', address('InternalIP')],
  ['*External-IP', address('ExternalIP')],
  ['*OS-Image', info('osImage')],
  ['*Kernel-Version', info('kernelVersion')],
  ['*Container-Runtime', info('containerRuntimeVersion')],
);
