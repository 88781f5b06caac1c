import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { formatQuantity, parseQuantity } from './quantity.ts';
import type { Schema } from './schema.ts';

/** What decoding found besides the object. */
export interface Decoding {
  /** Paths of fields that the kind does not have. They are left out of the object. */
  readonly unknown: string[];
  /** The first thing that does not fit its Go type, in Go's words. */
  failure: string | undefined;
}

const quantityType = 'Quantity';

/**
 * The object as a built-in kind has it after Go read and wrote it: without unknown fields and nulls, without zeros that Go omits, with zeros
 * that Go always writes. The input is not changed.
 */
export function decodeAsGo(object: JsonObject, schema: Schema, decoding: Decoding): JsonObject {
  return decodeStruct(object, schema, '', decoding);
}

function decodeStruct(object: JsonObject, schema: Schema, path: string, decoding: Decoding): JsonObject {
  const properties = schema.properties;
  if (properties === undefined) return object;
  const decoded: JsonObject = {};
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const member = properties.get(name);
    const memberPath = path === '' ? name : `${path}.${name}`;
    if (member === undefined) {
      if (path !== '' || (name !== 'apiVersion' && name !== 'kind')) decoding.unknown.push(memberPath);
      else decoded[name] = value;
      continue;
    }
    const inner = decodeValue(value, member, memberPath, decoding, schema.goType);
    if (inner !== undefined && !isLeftOut(inner, member)) decoded[name] = inner;
  }
  for (const [name, member] of alwaysWritten(schema, properties)) {
    if (decoded[name] === undefined) decoded[name] = zeroOf(member, decoding);
  }
  return decoded;
}

const remembered = new WeakMap<Schema, readonly (readonly [name: string, member: Schema])[]>();

/** The members that Go writes even where they are zero: few of many, and asked for with every object. */
function alwaysWritten(schema: Schema, properties: ReadonlyMap<string, Schema>) {
  let members = remembered.get(schema);
  if (members === undefined) {
    members = [...properties].filter(([, member]) => isAlwaysWritten(member));
    remembered.set(schema, members);
  }
  return members;
}

/** `omitempty` has no effect on a struct, and a time is one, which is never empty to Go; `omitzero` has. */
function isAlwaysWritten(member: Schema): boolean {
  if (member.zero === 'emit') return true;
  return member.zero === 'omit' && (member.properties !== undefined || member.format === 'date-time');
}

function isLeftOut(value: JsonValue, member: Schema): boolean {
  if (member.zero === 'drop') return isZero(value);
  return member.zero === 'omit' && member.properties === undefined && isZero(value);
}

function zeroOf(schema: Schema, decoding: Decoding): JsonValue {
  if (schema.properties !== undefined) return decodeStruct({}, schema, '', decoding);
  if (schema.intOrString) return 0;
  if (schema.goType === quantityType) return '0';
  if (schema.format === 'date-time') return null;
  if (schema.type === 'string') return '';
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number') return 0;
  return null;
}

function isZero(value: JsonValue): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function decodeValue(
  value: JsonValue,
  schema: Schema,
  path: string,
  decoding: Decoding,
  owner: string,
): JsonValue | undefined {
  if (value === null) return undefined;
  if (schema.intOrString) return value;
  if (schema.goType === quantityType) return decodeQuantity(value, decoding);
  if (schema.open && schema.type === undefined) return value;
  const wanted = schema.type;
  if (!fits(value, wanted)) {
    decoding.failure ??= `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${owner}.${path} of type ${goKind(schema)}`;
    return value;
  }
  if (Array.isArray(value)) return decodeList(value, schema, path, decoding, owner);
  if (!isObject(value)) return value;
  if (schema.properties !== undefined) return decodeStruct(value, schema, path, decoding);
  return schema.values === undefined ? value : decodeMap(value, schema.values, path, decoding, owner);
}

function decodeList(list: JsonValue[], schema: Schema, path: string, decoding: Decoding, owner: string): JsonValue {
  const items = schema.items;
  if (items === undefined) return list;
  return list.map((item, index) => decodeValue(item, items, `${path}[${index}]`, decoding, owner) ?? null);
}

function decodeMap(map: JsonObject, values: Schema, path: string, decoding: Decoding, owner: string): JsonObject {
  const decoded: JsonObject = {};
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const inner = decodeValue(value, values, path, decoding, owner);
    // Go's zero value of a string takes the place of a null in a map.
    decoded[key] = inner ?? (values.type === 'string' ? '' : null);
  }
  return decoded;
}

function decodeQuantity(value: JsonValue, decoding: Decoding): JsonValue {
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  if (parsed !== undefined) return formatQuantity(parsed);
  decoding.failure ??= "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  return value;
}

function fits(value: JsonValue, type: string | undefined): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}

function jsonKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : `number ${value}`;
  return typeof value;
}

function goKind(schema: Schema): string {
  switch (schema.type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return schema.format === 'int64' ? 'int64' : 'int32';
    case 'array':
      return schema.items === undefined ? '[]interface {}' : `[]${goKind(schema.items)}`;
    case 'object':
      if (schema.values !== undefined) return `map[string]${goKind(schema.values)}`;
      return `v1.${schema.goType}`;
    default:
      return schema.type ?? 'interface {}';
  }
}
