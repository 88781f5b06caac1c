import { clone, equal, isObject, isString, type JsonObject, type JsonValue } from './json.ts';
import { badRequest, rejectedPatch } from './status-error.ts';

/** RFC 6902. The object is copied first. Throws the API server's 422 when an operation does not fit, its 400 when it is none. */
export function jsonPatch(object: JsonObject, operations: JsonValue): JsonValue {
  if (!Array.isArray(operations)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  }
  let document: JsonValue = clone(object);
  for (const operation of operations) {
    if (!isObject(operation) || !isString(operation['op']) || !isString(operation['path'])) throw rejectedPatch();
    document = apply(document, operation, operation['op'], operation['path']);
  }
  return document;
}

function apply(document: JsonValue, operation: JsonObject, op: string, path: string): JsonValue {
  const value = operation['value'];
  switch (op) {
    case 'add':
      return set(document, path, clone(value ?? null), 'add');
    case 'replace':
      // The library of the real server replaces what is not there as well, except in lists.
      return set(document, path, clone(value ?? null), 'replace');
    case 'remove':
      return remove(document, path);
    case 'test':
      if (!equal(find(document, path) ?? null, value ?? null)) throw rejectedPatch();
      return document;
    case 'copy':
    case 'move': {
      const from = operation['from'];
      const found = isString(from) ? find(document, from) : undefined;
      if (!isString(from) || found === undefined) throw rejectedPatch();
      return set(op === 'move' ? remove(document, from) : document, path, clone(found), 'add');
    }
    default:
      throw rejectedPatch();
  }
}

const steps = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function find(document: JsonValue, path: string): JsonValue | undefined {
  let current: JsonValue | undefined = document;
  for (const step of steps(path)) {
    if (Array.isArray(current)) current = current[indexOf(step, current.length) ?? -1];
    else if (isObject(current)) current = current[step];
    else return undefined;
  }
  return current;
}

function set(document: JsonValue, path: string, value: JsonValue, how: 'add' | 'replace'): JsonValue {
  const way = steps(path);
  const last = way.pop();
  if (last === undefined) return value;
  const parent = find(document, way.map((step) => `/${escape(step)}`).join(''));
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexOf(last, how === 'add' ? parent.length + 1 : parent.length);
    if (index === undefined) throw rejectedPatch();
    if (how === 'add') parent.splice(index, 0, value);
    else parent[index] = value;
  } else if (isObject(parent)) parent[last] = value;
  else throw rejectedPatch();
  return document;
}

function remove(document: JsonValue, path: string): JsonValue {
  const way = steps(path);
  const last = way.pop() ?? '';
  const parent = find(document, way.map((step) => `/${escape(step)}`).join(''));
  if (Array.isArray(parent)) {
    const index = indexOf(last, parent.length);
    if (index === undefined) throw rejectedPatch();
    parent.splice(index, 1);
  } else if (isObject(parent) && parent[last] !== undefined) delete parent[last];
  else throw rejectedPatch();
  return document;
}

const escape = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');

/** Negative numbers count from the end: a habit of the Go library that the API server uses. */
function indexOf(step: string, length: number): number | undefined {
  if (!/^-?\d+$/.test(step)) return undefined;
  const index = Number(step) < 0 ? Number(step) + length : Number(step);
  return index >= 0 && index < length ? index : undefined;
}
