import { isObject, type JsonObject, without } from '../json.ts';
import type { View } from '../resource-definition.ts';

/** How `events.k8s.io/v1` names what core `v1` stores. */
const renamed: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function rename(object: JsonObject, from: 0 | 1, apiVersion: string): JsonObject {
  const result: JsonObject = { ...without(object, ...renamed.map((pair) => pair[from])), apiVersion };
  for (const pair of renamed) {
    const value = object[pair[from]];
    if (value !== undefined) result[pair[from === 0 ? 1 : 0]] = value;
  }
  return result;
}

/** Events of the newer API group, which live in the store as core events. */
export const eventView: View = {
  fromStored(object) {
    const event = rename(object, 0, 'events.k8s.io/v1');
    for (const name of ['reportingController', 'reportingInstance']) if (event[name] === '') delete event[name];
    return event;
  },
  toStored(object) {
    const event = rename(object, 1, 'v1');
    event['reportingComponent'] ??= '';
    event['reportingInstance'] ??= '';
    for (const name of ['involvedObject', 'source', 'metadata']) if (!isObject(event[name])) event[name] = {};
    for (const name of ['firstTimestamp', 'lastTimestamp', 'eventTime']) event[name] ??= null;
    return event;
  },
};
