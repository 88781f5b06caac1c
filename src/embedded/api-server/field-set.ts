import { equal, isObject, type JsonObject, type JsonValue } from './json.ts';
import { metadataSchema, type Schema } from './schema.ts';

/**
 * A set of fields, in the form in which `managedFields` holds it: `f:` for a field, `k:` for an entry of a keyed list, `v:` for an entry of
 * a set, `.` for the thing itself. A leaf is an empty object.
 */
export type FieldSet = JsonObject;

const leaf = (): FieldSet => ({});
const self = '.';

export const isEmptySet = (set: FieldSet | undefined): boolean => set === undefined || Object.keys(set).length === 0;

const isLeaf = (set: FieldSet) => Object.keys(set).length === 0;

function child(set: FieldSet, key: string): FieldSet | undefined {
  const found = set[key];
  return isObject(found) ? found : undefined;
}

/** The schema of a member of an object; metadata is the same for every kind. */
export function memberSchema(schema: Schema | undefined, name: string, isRoot: boolean): Schema | undefined {
  if (isRoot && name === 'metadata') return metadataSchema;
  return schema?.properties?.get(name) ?? schema?.values;
}

/** How the entries of a list are told apart, or undefined where the list is one value. */
export function listElements(
  list: readonly JsonValue[],
  schema: Schema | undefined,
): Map<string, JsonValue> | undefined {
  if (schema === undefined || schema.listType === 'atomic') return undefined;
  const found = new Map<string, JsonValue>();
  for (const item of list) {
    const key = schema.listType === 'set' ? `v:${JSON.stringify(item)}` : keyOf(item, schema);
    if (key === undefined || found.has(key)) return undefined;
    found.set(key, item);
  }
  return found;
}

function keyOf(item: JsonValue, schema: Schema): string | undefined {
  if (!isObject(item)) return undefined;
  const keys: JsonObject = {};
  for (const name of [...schema.listKeys].sort()) {
    const value = item[name] ?? schema.items?.properties?.get(name)?.raw['default'];
    if (value !== undefined) keys[name] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

/** All fields of a value. */
export function fieldsOf(value: JsonValue, schema: Schema | undefined, isRoot = true): FieldSet {
  if (Array.isArray(value)) {
    const elements = listElements(value, schema);
    if (elements === undefined) return leaf();
    const set: FieldSet = {};
    for (const [key, item] of elements) set[key] = withSelf(fieldsOf(item, schema?.items, false), key);
    return set;
  }
  if (!isObject(value) || schema?.atomicMap === true) return leaf();
  const set: FieldSet = {};
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const inner = fieldsOf(member, memberSchema(schema, name, isRoot), false);
    const declared = isRoot || schema?.properties?.has(name) === true;
    set[`f:${name}`] = declared ? inner : withSelf(inner, 'k:');
  }
  return set;
}

/** An entry of a keyed list is itself a member; a value is nothing but itself. */
function withSelf(set: FieldSet, key: string): FieldSet {
  return key.startsWith('v:') || isLeaf(set) ? set : { [self]: {}, ...set };
}

/** What a change touched: fields that are new or differ, and fields that are gone. */
export interface FieldChanges {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

const unchanged: FieldChanges = { changed: {}, removed: {} };

export function compareFields(
  old: JsonValue | undefined,
  next: JsonValue | undefined,
  schema: Schema | undefined,
  isRoot = true,
): FieldChanges {
  if (next === undefined) return { changed: {}, removed: old === undefined ? {} : gone(fieldsOf(old, schema, isRoot)) };
  if (old === undefined) return { changed: arrived(next, schema, isRoot), removed: {} };
  if (equal(old, next)) return unchanged;
  const before = members(old, schema);
  const after = members(next, schema);
  if (before === undefined || after === undefined) return { changed: { [self]: {} }, removed: {} };
  const changed: FieldSet = {};
  const removed: FieldSet = {};
  const compare = (key: string, was: JsonValue | undefined, is: JsonValue | undefined) => {
    if (was === is) return;
    const inner = key.startsWith('f:') ? memberSchema(schema, key.slice(2), isRoot) : schema?.items;
    const { changed: some, removed: others } = compareFields(was, is, inner, false);
    if (!isLeaf(some)) changed[key] = some;
    if (!isLeaf(others)) removed[key] = others;
  };
  for (const [key, was] of before) compare(key, was, after.get(key));
  for (const [key, is] of after) if (!before.has(key)) compare(key, undefined, is);
  return { changed, removed };
}

/** The parts of a map or of a list whose entries have names; undefined for what is one value. */
function members(value: JsonValue, schema: Schema | undefined): Map<string, JsonValue> | undefined {
  if (Array.isArray(value)) return listElements(value, schema);
  if (!isObject(value) || schema?.atomicMap === true) return undefined;
  const found = new Map<string, JsonValue>();
  for (const name in value) {
    const member = value[name];
    if (member !== undefined) found.set(`f:${name}`, member);
  }
  return found;
}

/** A new value with everything in it. A map that was not there before is itself new; a struct is only its fields. */
function arrived(value: JsonValue, schema: Schema | undefined, isRoot: boolean): FieldSet {
  const set = explicit(fieldsOf(value, schema, isRoot));
  const isMap = isObject(value) && schema?.properties === undefined && !isRoot;
  return isMap ? { [self]: {}, ...set } : set;
}

/** Leaves as members of their own, so that a set can say "this and nothing below". */
function explicit(set: FieldSet): FieldSet {
  if (isLeaf(set)) return { [self]: {} };
  const result: FieldSet = {};
  for (const key in set) result[key] = key === self ? {} : explicit(child(set, key) ?? {});
  return result;
}

const gone = (set: FieldSet): FieldSet => ({ [self]: {}, ...explicit(set) });

/** From the form with explicit leaves to the form in which `managedFields` writes it. */
export function compactSet(set: FieldSet): FieldSet {
  const keys = Object.keys(set);
  if (keys.length === 1 && keys[0] === self) return {};
  const result: FieldSet = {};
  for (const key of keys) result[key] = key === self ? {} : compactSet(child(set, key) ?? {});
  return result;
}

/** The opposite of `compactSet`. The root itself is never a member. */
export function expandSet(set: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const key in set) result[key] = key === self ? {} : explicit(child(set, key) ?? {});
  return result;
}

/** Of expanded sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = { ...a };
  for (const key in b) {
    const left = child(a, key);
    const right = child(b, key) ?? {};
    result[key] = left === undefined ? right : key === self ? {} : union(left, right);
  }
  return result;
}

/** What is in `a` and not in `b`. Of expanded sets. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const key in a) {
    const right = child(b, key);
    if (key === self) {
      if (right === undefined) result[key] = {};
      continue;
    }
    const left = child(a, key) ?? {};
    const rest = right === undefined ? left : difference(left, right);
    if (!isLeaf(rest)) result[key] = rest;
  }
  return result;
}

/** What is in both. Of expanded sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const key in a) {
    const right = child(b, key);
    if (right === undefined) continue;
    if (key === self) {
      result[key] = {};
      continue;
    }
    const both = intersection(child(a, key) ?? {}, right);
    if (!isLeaf(both)) result[key] = both;
  }
  return result;
}

/** Every member, as the API server writes paths: `.spec.containers[name="a"].image`. Of an expanded set; what is here comes before what is below. */
export function pathsOf(set: FieldSet, prefix = ''): string[] {
  const steps = Object.keys(set)
    .filter((key) => key !== self)
    .sort()
    .map((key) => ({ path: `${prefix}${stepText(key)}`, inner: child(set, key) ?? {} }));
  const here = steps.filter(({ inner }) => inner[self] !== undefined).map(({ path }) => path);
  return [...here, ...steps.flatMap(({ path, inner }) => pathsOf(inner, path))];
}

function stepText(key: string): string {
  const rest = key.slice(2);
  if (key.startsWith('f:')) return `.${rest}`;
  if (key.startsWith('v:')) return `[=${rest}]`;
  const keys: unknown = JSON.parse(rest);
  const pairs = isObject(keys) ? Object.entries(keys) : [];
  return `[${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}

/** The paths of fields that a schema does not have. */
export function undeclaredFields(value: JsonValue, schema: Schema | undefined, path = ''): string[] {
  if (schema === undefined || schema.open) return [];
  if (Array.isArray(value)) {
    const elements = listElements(value, schema);
    const named =
      elements === undefined
        ? value.map((item, index) => [`[${index}]`, item] as const)
        : [...elements].map(([key, item]) => [stepText(key), item] as const);
    return named.flatMap(([step, item]) => undeclaredFields(item, schema.items, `${path}${step}`));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = memberSchema(schema, name, path === '');
    if (member === undefined || (path === '' && (name === 'apiVersion' || name === 'kind'))) return [];
    return inner === undefined ? [`${path}.${name}`] : undeclaredFields(member, inner, `${path}.${name}`);
  });
}
