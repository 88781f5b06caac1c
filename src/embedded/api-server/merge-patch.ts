import { isObject, type JsonObject, type JsonValue } from './json.ts';

/**
 * RFC 7386: objects are merged, null takes away, everything else replaces. Neither argument is changed. In what is put in the place of
 * something else that is no object nothing is null either, also within lists, where only items stay so: the library of the real server does that.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(target)) return withoutNulls(patch);
  if (!isObject(patch)) return patch;
  const merged: JsonObject = { ...target };
  for (const name in patch) {
    const value = patch[name];
    if (value === undefined) continue;
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const name in value) {
    const member = value[name];
    if (member !== undefined && member !== null) kept[name] = withoutNulls(member);
  }
  return kept;
}
