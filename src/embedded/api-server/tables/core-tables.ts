import { at, type JsonObject, listAt, numberAt, objectAt, printed, textAt } from '../json.ts';
import { age } from './human-duration.ts';
import { ageColumn, layout, nameColumn, orNone } from './layout.ts';

export const namespaceTable = layout(nameColumn, ['Status', (each) => textAt(each, 'status', 'phase')], ageColumn);

export const configMapTable = layout(
  nameColumn,
  ['Data', (map) => Object.keys(objectAt(map, 'data')).length + Object.keys(objectAt(map, 'binaryData')).length],
  ageColumn,
);

export const secretTable = layout(
  nameColumn,
  ['Type', (secret) => textAt(secret, 'type')],
  ['Data', (secret) => Object.keys(objectAt(secret, 'data')).length],
  ageColumn,
);

export const serviceAccountTable = layout(nameColumn, ageColumn);

function ports(service: JsonObject): string {
  const texts = listAt(service, 'spec', 'ports').map((port) => {
    const node = numberAt(port, 'nodePort') ?? 0;
    return `${numberAt(port, 'port')}${node > 0 ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
  });
  return texts.length === 0 ? '<none>' : texts.join(',');
}

function externalAddress(service: JsonObject): string {
  const given = listAt(service, 'spec', 'externalIPs').map(String);
  switch (textAt(service, 'spec', 'type')) {
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    case 'LoadBalancer': {
      const balanced = listAt(service, 'status', 'loadBalancer', 'ingress').map(
        (each) => textAt(each, 'ip') || textAt(each, 'hostname'),
      );
      return [...balanced, ...given].join(',') || '<pending>';
    }
    default:
      return given.join(',') || '<none>';
  }
}

function selection(service: JsonObject): string {
  return orNone(
    Object.entries(objectAt(service, 'spec', 'selector'))
      .map(([key, value]) => `${key}=${printed(value)}`)
      .sort()
      .join(','),
  );
}

export const serviceTable = layout(
  nameColumn,
  ['Type', (each) => textAt(each, 'spec', 'type')],
  ['Cluster-IP', (each) => orNone(textAt(each, 'spec', 'clusterIP'))],
  ['External-IP', externalAddress],
  ['Port(s)', ports],
  ageColumn,
  ['*Selector', selection],
);

function involved(event: JsonObject): string {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase();
  const name = textAt(event, 'involvedObject', 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function lastSeen(event: JsonObject, now: number): string {
  const series = textAt(event, 'series', 'lastObservedTime');
  const seen = series || textAt(event, 'lastTimestamp') || textAt(event, 'eventTime');
  return seen === '' ? '<unknown>' : age(seen, now);
}

function firstSeen(event: JsonObject, now: number): string {
  return age(textAt(event, 'firstTimestamp') || textAt(event, 'eventTime'), now);
}

function source(event: JsonObject): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

export const eventTable = layout(
  ['Last Seen', lastSeen],
  ['Type', (event) => textAt(event, 'type')],
  ['Reason', (event) => textAt(event, 'reason')],
  ['Object', involved],
  ['*Subobject', (event) => textAt(event, 'involvedObject', 'fieldPath')],
  ['*Source', source],
  ['Message', (event) => textAt(event, 'message').trim()],
  ['*First Seen', firstSeen],
  ['*Count', (event) => numberAt(event, 'series', 'count') ?? (numberAt(event, 'count') || 1)],
  ['*Name', (event) => textAt(event, 'metadata', 'name')],
);

export const leaseTable = layout(nameColumn, ['Holder', (lease) => textAt(lease, 'spec', 'holderIdentity')], ageColumn);

const countOrNone = (name: string) => (budget: JsonObject) => {
  const value = at(budget, 'spec', name);
  return value === undefined ? 'N/A' : printed(value);
};

export const budgetTable = layout(
  nameColumn,
  ['Min Available', countOrNone('minAvailable')],
  ['Max Unavailable', countOrNone('maxUnavailable')],
  ['#Allowed Disruptions', (budget) => numberAt(budget, 'status', 'disruptionsAllowed') ?? 0],
  ageColumn,
);

function usage(quota: JsonObject, isLimit: boolean): string {
  const hard = objectAt(quota, 'status', 'hard');
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === isLimit)
    .sort()
    .map((name) => `${name}: ${textAt(quota, 'status', 'used', name) || '0'}/${printed(hard[name])}`)
    .join(', ');
}

export const quotaTable = layout(
  nameColumn,
  ['Request', (quota) => usage(quota, false)],
  ['Limit', (quota) => usage(quota, true)],
  ageColumn,
);

export const webhookConfigurationTable = layout(
  nameColumn,
  ['#Webhooks', (each) => listAt(each, 'webhooks').length],
  ageColumn,
);

export const customResourceDefinitionTable = layout(nameColumn, [
  'Created At',
  (each) => textAt(each, 'metadata', 'creationTimestamp'),
]);
