/** What JSON can say. Objects may hold undefined, which is never sent. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/**
 * A JSON object. What comes out of the store is shared by everyone who reads: copy it with `clone` before changing it. What was just parsed
 * belongs to whoever parsed it.
 */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isString = (value: unknown): value is string => typeof value === 'string';

/** The member of an object, if the value is one and has it. */
export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const step of path) {
    if (!isObject(current)) return undefined;
    current = current[step];
  }
  return current;
}

export function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

export function listAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path, or an empty one: Go's zero value, which is how the API server reads an absent field. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return isString(found) ? found : '';
}

export function numberAt(value: JsonValue | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function clone<V extends JsonValue | undefined>(value: V): V;
export function clone(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((each) => clone(each));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) copy[key] = clone(member);
  }
  return copy;
}

/** Whether both say the same; undefined members count as absent. */
export function equal(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((each, index) => equal(each, b[index]));
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  let size = 0;
  for (const key in a) {
    const member = a[key];
    if (member === undefined) continue;
    size += 1;
    const other = b[key];
    if (other === undefined || !equal(member, other)) return false;
  }
  for (const key in b) if (b[key] !== undefined) size -= 1;
  return size === 0;
}

/** Undefined where the text is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The object without members that say nothing, as Go leaves out what is `omitempty`: undefined, and what `drop` names. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const key in object) if (!names.includes(key) && object[key] !== undefined) kept[key] = object[key];
  return kept;
}

/** A scalar as people write it; anything else as JSON. */
export function printed(value: JsonValue | undefined): string {
  return isString(value) ? value : (JSON.stringify(value) ?? '');
}
