import {
  duplicate,
  type FieldError,
  invalidValue,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  typeName,
  unsupported,
} from '../field-error.ts';
import { equal, isObject, isString, type JsonObject, type JsonValue, without } from '../json.ts';
import { anywhereIn, type Schema } from '../schema.ts';

/**
 * What is wrong with an object by its schema, in the words and the order of the API server: structure first, then lists with keys. Members that
 * are the old object's very own were judged when that one was stored, and the real server, too, lets pass what did not change.
 */
export function structuralFaults(object: JsonObject, old: JsonObject | undefined, schema: Schema): FieldError[] {
  const isJudged = (name: string) => skipped.has(name) || (old !== undefined && object[name] === old[name]);
  const found: FieldError[] = [];
  objectFaults(object, schema, '', found, isJudged);
  listFaults(without(object, ...Object.keys(object).filter(isJudged)), schema, '', found);
  return found;
}

const skipped = new Set(['apiVersion', 'kind', 'metadata']);
const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function faults(value: JsonValue, schema: Schema, path: string, found: FieldError[]): void {
  if (value === null) {
    if (schema.raw['nullable'] !== true) found.push(typeFault(value, schema, path));
    return;
  }
  if (!hasType(value, schema)) {
    found.push(typeFault(value, schema, path));
    return;
  }
  if (isString(value)) textFaults(value, schema, path, found);
  else if (typeof value === 'number') numberFaults(value, schema, path, found);
  else if (Array.isArray(value)) arrayFaults(value, schema, path, found);
  else if (isObject(value)) objectFaults(value, schema, path, found);
  const choices = schema.raw['enum'];
  if (Array.isArray(choices) && !choices.some((choice) => equal(choice, value))) {
    found.push(unsupported(path, value, choices.map(String)));
  }
}

function hasType(value: JsonValue, schema: Schema): boolean {
  if (schema.intOrString) return isString(value) || (typeof value === 'number' && Number.isInteger(value));
  switch (schema.type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}

function typeFault(value: JsonValue, schema: Schema, path: string): FieldError {
  const wanted = schema.intOrString ? 'integer,string' : (schema.type ?? '');
  return typeInvalid(path, value, `${path} in body must be of type ${wanted}: ${JSON.stringify(typeName(value))}`);
}

const bound = (schema: Schema, name: string) => {
  const found = schema.raw[name];
  return typeof found === 'number' ? found : undefined;
};

function textFaults(value: string, schema: Schema, path: string, found: FieldError[]): void {
  const least = bound(schema, 'minLength');
  const most = bound(schema, 'maxLength');
  // There are never more characters than units, and those need no counting.
  if (most !== undefined && value.length > most && lengthOf(value) > most) found.push(tooLong(path, most));
  if (least !== undefined && lengthOf(value) < least) {
    found.push(invalidValue(path, value, `${path} in body should be at least ${least} chars long`));
  }
  const { pattern } = schema.raw;
  if (isString(pattern) && !compiled(pattern).test(value)) {
    found.push(invalidValue(path, value, `${path} in body should match '${pattern}'`));
  }
  if (schema.format === 'date-time' && !isTime(value)) {
    found.push(typeInvalid2(path, value, `${path} in body must be of type date-time: ${JSON.stringify(value)}`));
  }
}

/** In characters, as Go counts them. */
const lengthOf = (text: string) => Array.from(text).length;

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(pattern);
  patterns.set(pattern, made);
  return made;
}

const isTime = (value: string) =>
  /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(value) &&
  !Number.isNaN(Date.parse(value));

const typeInvalid2 = (field: string, value: string, detail: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
});

function numberFaults(value: number, schema: Schema, path: string, found: FieldError[]): void {
  const least = bound(schema, 'minimum');
  const most = bound(schema, 'maximum');
  if (most !== undefined && value > most) {
    found.push(invalidValue(path, value, `${path} in body should be less than or equal to ${most}`));
  }
  if (least !== undefined && value < least) {
    found.push(invalidValue(path, value, `${path} in body should be greater than or equal to ${least}`));
  }
}

function arrayFaults(value: readonly JsonValue[], schema: Schema, path: string, found: FieldError[]): void {
  const most = bound(schema, 'maxItems');
  const least = bound(schema, 'minItems');
  const { items } = schema;
  if (items !== undefined) for (const [index, item] of value.entries()) faults(item, items, `${path}[${index}]`, found);
  if (most !== undefined && value.length > most) found.push(tooMany(path, value.length, most));
  if (least !== undefined && value.length < least) {
    found.push(invalidValue(path, value.length, `${path} in body should have at least ${least} items`));
  }
}

function objectFaults(
  value: JsonObject,
  schema: Schema,
  path: string,
  found: FieldError[],
  isJudged: (name: string) => boolean = () => false,
): void {
  for (const name of schema.required) if (value[name] === undefined) found.push(required(join(path, name)));
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    const inner = schema.properties?.get(name) ?? schema.values;
    if (member === undefined || inner === undefined || isJudged(name)) continue;
    faults(member, inner, join(path, name), found);
  }
  const most = bound(schema, 'maxProperties');
  const count = Object.keys(value).length;
  if (most !== undefined && count > most) found.push(tooMany(path, count, most));
}

const hasKeyedLists = anywhereIn(({ listType }) => listType !== 'atomic');

function listFaults(value: JsonValue, schema: Schema, path: string, found: FieldError[]): void {
  if (!hasKeyedLists(schema)) return;
  if (Array.isArray(value)) {
    repeated(value, schema, path, found);
    const { items } = schema;
    if (items !== undefined)
      for (const [index, item] of value.entries()) listFaults(item, items, `${path}[${index}]`, found);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = schema.properties?.get(name) ?? schema.values;
    if (member !== undefined && inner !== undefined) listFaults(member, inner, join(path, name), found);
  }
}

function repeated(list: readonly JsonValue[], schema: Schema, path: string, found: FieldError[]): void {
  if (schema.listType === 'atomic') return;
  const seen: JsonValue[] = [];
  for (const [index, item] of list.entries()) {
    const key = schema.listType === 'set' ? item : keysOf(item, schema.listKeys);
    if (seen.some((each) => equal(each, key))) found.push(duplicate(`${path}[${index}]`, key));
    seen.push(key);
  }
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonValue {
  if (!isObject(item)) return item;
  return Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])));
}
