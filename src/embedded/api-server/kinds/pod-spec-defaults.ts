import { isObject, isString, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '../json.ts';

/** Sets a member that is not there. */
export function setDefault(object: JsonObject, name: string, value: JsonValue): void {
  object[name] ??= value;
}

/** The member as an object, made if need be. */
export function ensureObject(object: JsonObject, name: string): JsonObject {
  const found = object[name];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}

const objectsIn = (value: JsonValue | undefined, name: string) => listAt(value, name).filter(isObject);

/** What the API server fills into every pod spec, in pods and in templates (pkg/apis/core/v1/defaults.go). */
export function setPodSpecDefaults(spec: JsonObject): void {
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  ensureObject(spec, 'securityContext');
  setDefault(spec, 'schedulerName', 'default-scheduler');
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') {
    spec['serviceAccountName'] = account;
    spec['serviceAccount'] = account;
  }
  for (const list of ['containers', 'initContainers']) {
    for (const container of objectsIn(spec, list)) setContainerDefaults(container);
  }
  for (const volume of objectsIn(spec, 'volumes')) setVolumeDefaults(volume);
}

function setContainerDefaults(container: JsonObject): void {
  const image = textAt(container, 'image');
  const [tag = ''] = /(?<=:)[^:/]+$/.exec(image.split('@', 1)[0] ?? '') ?? [];
  const isLatest = (tag === '' && !image.includes('@')) || tag === 'latest';
  setDefault(container, 'imagePullPolicy', isLatest ? 'Always' : 'IfNotPresent');
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  for (const port of objectsIn(container, 'ports')) setDefault(port, 'protocol', 'TCP');
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const found = container[probe];
    if (isObject(found)) setProbeDefaults(found);
  }
  for (const variable of objectsIn(container, 'env')) {
    const field = objectAt(variable, 'valueFrom')['fieldRef'];
    if (isObject(field)) setDefault(field, 'apiVersion', 'v1');
  }
  const resources = ensureObject(container, 'resources');
  // A limit without a request asks for as much as it may have.
  for (const [name, limit] of Object.entries(objectAt(resources, 'limits'))) {
    if (isString(limit)) setDefault(ensureObject(resources, 'requests'), name, limit);
  }
}

function setProbeDefaults(probe: JsonObject): void {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
  const get = probe['httpGet'];
  if (isObject(get)) {
    setDefault(get, 'path', '/');
    setDefault(get, 'scheme', 'HTTP');
  }
  const grpc = probe['grpc'];
  if (isObject(grpc)) setDefault(grpc, 'service', '');
}

const withMode = ['secret', 'configMap', 'downwardAPI', 'projected'];

function setVolumeDefaults(volume: JsonObject): void {
  if (Object.keys(volume).length === 1) volume['emptyDir'] = {};
  for (const source of withMode) {
    const found = volume[source];
    if (isObject(found)) setDefault(found, 'defaultMode', 420);
  }
  const host = volume['hostPath'];
  if (isObject(host)) setDefault(host, 'type', '');
}
