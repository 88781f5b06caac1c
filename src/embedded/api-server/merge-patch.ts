import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** RFC 7386: objects are merged, null takes away, everything else replaces. Neither argument is changed. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const name in patch) {
    const value = patch[name];
    if (value === undefined) continue;
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}
