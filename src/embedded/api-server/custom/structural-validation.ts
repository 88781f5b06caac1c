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
import { equal, isObject, isString, type JsonObject, type JsonValue } from '../json.ts';
import { anywhereIn, type Schema } from '../schema.ts';

/** What is wrong with a value by its schema, in the words and the order of the API server: structure first, then lists with keys. */
export function structuralFaults(value: JsonValue, schema: Schema): FieldError[] {
  return [...faults(value, schema, ''), ...listFaults(value, schema, '')];
}

const skipped = new Set(['apiVersion', 'kind', 'metadata']);
const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function* faults(value: JsonValue, schema: Schema, path: string): Generator<FieldError> {
  if (value === null) {
    if (schema.raw['nullable'] !== true) yield typeFault(value, schema, path);
    return;
  }
  if (!hasType(value, schema)) {
    yield typeFault(value, schema, path);
    return;
  }
  if (isString(value)) yield* textFaults(value, schema, path);
  else if (typeof value === 'number') yield* numberFaults(value, schema, path);
  else if (Array.isArray(value)) yield* arrayFaults(value, schema, path);
  else if (isObject(value)) yield* objectFaults(value, schema, path);
  const choices = schema.raw['enum'];
  if (Array.isArray(choices) && !choices.some((choice) => equal(choice, value))) {
    yield unsupported(path, value, choices.map(String));
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

function* textFaults(value: string, schema: Schema, path: string): Generator<FieldError> {
  const least = bound(schema, 'minLength');
  const most = bound(schema, 'maxLength');
  if (most !== undefined && lengthOf(value) > most) yield tooLong(path, most);
  if (least !== undefined && lengthOf(value) < least) {
    yield invalidValue(path, value, `${path} in body should be at least ${least} chars long`);
  }
  const { pattern } = schema.raw;
  if (isString(pattern) && !new RegExp(pattern).test(value)) {
    yield invalidValue(path, value, `${path} in body should match '${pattern}'`);
  }
  if (schema.format === 'date-time' && !isTime(value)) {
    yield typeInvalid2(path, value, `${path} in body must be of type date-time: ${JSON.stringify(value)}`);
  }
}

/** In characters, as Go counts them. */
const lengthOf = (text: string) => Array.from(text).length;

const isTime = (value: string) =>
  /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(value) &&
  !Number.isNaN(Date.parse(value));

const typeInvalid2 = (field: string, value: string, detail: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
});

function* numberFaults(value: number, schema: Schema, path: string): Generator<FieldError> {
  const least = bound(schema, 'minimum');
  const most = bound(schema, 'maximum');
  if (most !== undefined && value > most) {
    yield invalidValue(path, value, `${path} in body should be less than or equal to ${most}`);
  }
  if (least !== undefined && value < least) {
    yield invalidValue(path, value, `${path} in body should be greater than or equal to ${least}`);
  }
}

function* arrayFaults(value: readonly JsonValue[], schema: Schema, path: string): Generator<FieldError> {
  const most = bound(schema, 'maxItems');
  const least = bound(schema, 'minItems');
  const { items } = schema;
  if (items !== undefined) for (const [index, item] of value.entries()) yield* faults(item, items, `${path}[${index}]`);
  if (most !== undefined && value.length > most) yield tooMany(path, value.length, most);
  if (least !== undefined && value.length < least) {
    yield invalidValue(path, value.length, `${path} in body should have at least ${least} items`);
  }
}

function* objectFaults(value: JsonObject, schema: Schema, path: string): Generator<FieldError> {
  for (const name of schema.required) if (value[name] === undefined) yield required(join(path, name));
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    const inner = schema.properties?.get(name) ?? schema.values;
    if (member === undefined || inner === undefined || (path === '' && skipped.has(name))) continue;
    yield* faults(member, inner, join(path, name));
  }
  const most = bound(schema, 'maxProperties');
  const count = Object.keys(value).length;
  if (most !== undefined && count > most) yield tooMany(path, count, most);
}

const hasKeyedLists = anywhereIn(({ listType }) => listType !== 'atomic');

function* listFaults(value: JsonValue, schema: Schema, path: string): Generator<FieldError> {
  if (!hasKeyedLists(schema)) return;
  if (Array.isArray(value)) {
    yield* repeated(value, schema, path);
    const { items } = schema;
    if (items !== undefined)
      for (const [index, item] of value.entries()) yield* listFaults(item, items, `${path}[${index}]`);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = schema.properties?.get(name) ?? schema.values;
    if (member !== undefined && inner !== undefined) yield* listFaults(member, inner, join(path, name));
  }
}

function* repeated(list: readonly JsonValue[], schema: Schema, path: string): Generator<FieldError> {
  if (schema.listType === 'atomic') return;
  const seen: JsonValue[] = [];
  for (const [index, item] of list.entries()) {
    const key = schema.listType === 'set' ? item : keysOf(item, schema.listKeys);
    if (seen.some((each) => equal(each, key))) yield duplicate(`${path}[${index}]`, key);
    seen.push(key);
  }
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonValue {
  if (!isObject(item)) return item;
  return Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])));
}
