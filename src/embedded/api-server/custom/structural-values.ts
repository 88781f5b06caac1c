import { clone, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema } from '../schema.ts';

const always = new Set(['apiVersion', 'kind', 'metadata']);

/** The object of a custom kind without fields that its schema does not know, with its defaults. The input is not changed. */
export function pruneAndDefault(object: JsonObject, schema: Schema, unknown: string[]): JsonObject {
  const pruned = prune(object, schema, '', unknown);
  const result: JsonObject = isObject(pruned) ? pruned : {};
  setDefaults(result, schema);
  return result;
}

function prune(value: JsonValue, schema: Schema, path: string, unknown: string[]): JsonValue {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item, index) => prune(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const inner = schema.properties?.get(name) ?? schema.values;
    const where = path === '' ? name : `${path}.${name}`;
    if (path === '' && always.has(name)) kept[name] = member;
    else if (inner !== undefined) kept[name] = prune(member, inner, where, unknown);
    else if (schema.open) kept[name] = member;
    else unknown.push(where);
  }
  return kept;
}

/** Fills in what is absent, and what is null where null may not stand. Works on the object itself. */
function setDefaults(value: JsonValue, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) setDefaults(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of schema.properties ?? []) {
    const given = value[name];
    const fallback = member.raw['default'];
    const isRefusedNull = given === null && member.raw['nullable'] !== true;
    if (fallback !== undefined && (given === undefined || isRefusedNull)) value[name] = clone(fallback);
    const inner = value[name];
    if (inner !== undefined && inner !== null) setDefaults(inner, member);
  }
  if (schema.values === undefined) return;
  for (const name in value) {
    const inner = value[name];
    if (inner !== undefined && inner !== null) setDefaults(inner, schema.values);
  }
}
