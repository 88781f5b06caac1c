import { isObject, isString, type JsonObject, type JsonValue } from './json.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';
import { builtinSchemas } from './schema.ts';

const metadataName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const prefix = '#/components/schemas/';

/** The OpenAPI document of one group and version: enough for `kubectl explain`, `apply` and its check of field validation. */
export function openApiDocument(resources: readonly ResourceDefinition[]): JsonObject {
  const schemas: JsonObject = {};
  const paths: JsonObject = {};
  for (const resource of resources) {
    addSchema(schemas, resource);
    for (const [path, item] of pathsOf(resource)) paths[path] = item;
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths,
    components: { schemas },
  };
}

function addSchema(schemas: JsonObject, resource: ResourceDefinition): void {
  if (resource.custom === undefined) return addBuiltin(schemas, resource.schemaName);
  const { properties, ...rest } = resource.custom.raw;
  schemas[resource.schemaName] = {
    ...rest,
    properties: {
      ...(isObject(properties) ? properties : {}),
      metadata: { description: 'Standard object metadata.', allOf: [{ $ref: `${prefix}${metadataName}` }] },
    },
    'x-kubernetes-group-version-kind': [gvkOf(resource)],
  };
  addBuiltin(schemas, metadataName);
}

/** A schema and all that it refers to. */
function addBuiltin(schemas: JsonObject, name: string): void {
  const known = builtinSchemas()[name];
  if (schemas[name] !== undefined || !isObject(known)) return;
  schemas[name] = plain(known);
  for (const reference of referencesOf(known)) addBuiltin(schemas, reference);
}

/** Without our own marks. */
function plain(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isObject(schema)) return schema;
  const copy: JsonObject = {};
  for (const key in schema) {
    const value = schema[key];
    if (key !== 'x-go' && key !== 'x-proto' && value !== undefined) copy[key] = plain(value);
  }
  return copy;
}

function referencesOf(schema: JsonValue): string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencesOf);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return key === '$ref' && isString(value) ? [value.slice(prefix.length)] : referencesOf(value);
  });
}

const gvkOf = ({ group, version, kind }: ResourceDefinition): JsonObject => ({ group, version, kind });

const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));

function pathsOf(resource: ResourceDefinition): [string, JsonObject][] {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`;
  const collection = `${root}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
  const operation = (action: string): JsonObject => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(resource),
    parameters,
    responses: { '200': { description: 'OK' } },
  });
  return [
    [collection, { get: operation('list'), post: operation('post') }],
    [
      `${collection}/{name}`,
      { get: operation('get'), put: operation('put'), patch: operation('patch'), delete: operation('delete') },
    ],
  ];
}
