import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { asServed } from './object-text.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Stored } from './store.ts';

/** Another form of an answer that clients may ask for. */
export interface TableRequest {
  readonly transform: 'Table' | 'PartialObjectMetadata';
  /** What of the object stands in each row: None, Metadata or Object. */
  readonly include: string;
  readonly now: number;
}

/** What an Accept header asks for first: a table, only metadata, or (undefined) the objects themselves. */
export function wantedTransform(accept: string): TableRequest['transform'] | undefined {
  if (!accept.includes('as=')) return undefined;
  const first = accept.split(',').find((each) => each.includes('json') || each.trim() === '*/*') ?? '';
  if (/;as=Table(;|$)/.test(first)) return 'Table';
  return /;as=PartialObjectMetadata(List)?(;|$)/.test(first) ? 'PartialObjectMetadata' : undefined;
}

/** A Table, or a list of metadata, of some objects. */
export function tableOf(
  definition: ResourceDefinition,
  items: readonly Stored[],
  metadata: JsonObject,
  request: TableRequest,
): JsonObject {
  if (request.transform === 'PartialObjectMetadata') {
    const objects = items.map(({ object }) => partial(definition, object));
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects };
  }
  return table(
    definition,
    items.map(({ object }) => object),
    metadata,
    request,
  );
}

/** How a watch writes one object in this form. */
export function tableRow(definition: ResourceDefinition, request: TableRequest): (object: JsonObject) => string {
  if (request.transform === 'PartialObjectMetadata') return (object) => JSON.stringify(partial(definition, object));
  // kubectl reads the columns from the first event; the others need none, but the real server sends them with every one.
  return (object) => {
    const { metadata } = object;
    const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
    return JSON.stringify(table(definition, [object], { resourceVersion: version }, request));
  };
}

function table(
  definition: ResourceDefinition,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  request: TableRequest,
): JsonObject {
  const { columns, row } = definition.table;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format: format ?? '',
      description,
      priority: priority ?? 0,
    })),
    rows: objects.map((object) => ({ cells: row(object, request.now), ...included(definition, object, request) })),
  };
}

function included(
  definition: ResourceDefinition,
  object: JsonObject,
  { include }: TableRequest,
): { object?: JsonValue } {
  if (include === 'None') return { object: null };
  return { object: include === 'Object' ? asServed(definition, object) : partial(definition, object) };
}

/** Nothing but the metadata of an object. */
export const partial = (definition: ResourceDefinition, object: JsonObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: asServed(definition, object)['metadata'],
});
