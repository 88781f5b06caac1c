import type { JsonObject, JsonValue } from '../../src/embedded/api-server/json.ts';
import { isObject, isString } from '../../src/embedded/api-server/json.ts';
import type { GoFields } from './api-server-parity.go-fields.ts';

/** The kinds that the embedded API server serves from the real one's schemas, by the path of their OpenAPI document. */
export const servedKinds: Readonly<Record<string, readonly string[]>> = {
  'api/v1': [
    'Binding',
    'ConfigMap',
    'DeleteOptions',
    'Event',
    'Eviction',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  'apis/apps/v1': ['DaemonSet', 'Deployment', 'ReplicaSet', 'Scale', 'StatefulSet'],
  'apis/batch/v1': ['CronJob', 'Job'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/coordination.k8s.io/v1': ['Lease'],
  'apis/events.k8s.io/v1': ['Event'],
  'apis/storage.k8s.io/v1': ['StorageClass', 'VolumeAttachment'],
  'apis/admissionregistration.k8s.io/v1': ['ValidatingWebhookConfiguration'],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
};

const kindKey = 'x-kubernetes-group-version-kind';

/**
 * The schemas that the served kinds need, out of the OpenAPI documents of a real API server: without those of other kinds, with the first
 * sentence of every description, and with names sorted, so that the same server gives the same bytes.
 */
export function reduceSchemas(documents: Readonly<Record<string, JsonObject>>, goFields: GoFields): string {
  const reduced = new Map<string, JsonValue>();
  for (const [path, document] of Object.entries(documents)) {
    const schemas = schemasOf(document);
    const wanted = Object.keys(schemas).filter((name) => isServed(path, schemas[name]));
    for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
      if (reduced.has(name)) continue;
      const schema = schemas[name];
      if (schema === undefined) continue;
      reduced.set(name, withGoFields(shorten(schema, name), name, goFields));
      wanted.push(...referencesOf(schema));
    }
  }
  const lines = [...reduced]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([n, s]) => `${JSON.stringify(n)}:${JSON.stringify(s)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Marks the fields that Go leaves out, or always writes, when they are zero. */
function withGoFields(schema: JsonValue, name: string, goFields: GoFields): JsonValue {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema;
  const fields = goFields.get(name);
  const marked: JsonObject = {};
  for (const [key, property] of Object.entries(schema['properties'])) {
    const field = fields?.get(key);
    if (!isObject(property) || field === undefined) marked[key] = property;
    else {
      marked[key] = {
        ...property,
        ...(field.zero !== undefined && { 'x-go': field.zero }),
        ...(field.proto !== '' && { 'x-proto': field.proto }),
      };
    }
  }
  return { ...schema, properties: marked };
}

function schemasOf(document: JsonObject): JsonObject {
  const { components } = document;
  const schemas = isObject(components) ? components['schemas'] : undefined;
  return isObject(schemas) ? schemas : {};
}

function isServed(path: string, schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return false;
  const gvks = schema[kindKey];
  return (
    Array.isArray(gvks) &&
    gvks.some((gvk) => isObject(gvk) && isString(gvk['kind']) && servedKinds[path]?.includes(gvk['kind']) === true)
  );
}

function referencesOf(schema: JsonValue): string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencesOf);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && isString(value)
      ? [value.slice('#/components/schemas/'.length)]
      : value === undefined
        ? []
        : referencesOf(value),
  );
}

function shorten(schema: JsonValue, name: string): JsonValue {
  if (Array.isArray(schema)) return schema.map((each) => shorten(each, name));
  if (!isObject(schema)) return schema;
  const kept: JsonObject = {};
  for (const key of Object.keys(schema).sort()) {
    const value = schema[key];
    if (value === undefined || key === 'x-kubernetes-unions') continue;
    if (key === kindKey && name.startsWith('io.k8s.apimachinery')) continue;
    kept[key] = key === 'description' && isString(value) ? firstSentence(value) : shorten(value, name);
  }
  return kept;
}

function firstSentence(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  const end = line.search(/[.:](\s|$)/);
  return end < 0 ? line : `${line.slice(0, end)}.`;
}
