import { equal, isObject, isString, type JsonObject, type JsonValue } from './json.ts';
import type { Schema } from './schema.ts';
import { metadataSchema } from './schema.ts';

const directive = '$patch';
const deleteFromList = '$deleteFromPrimitiveList/';
const elementOrder = '$setElementOrder/';
const retainKeys = '$retainKeys';

/** A strategic merge patch: lists whose entries have names are merged entry by entry. Neither argument is changed. */
export function strategicMergePatch(target: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  return mergeMap(target, patch, schema, true);
}

function mergeMap(target: JsonObject, patch: JsonObject, schema: Schema | undefined, isRoot = false): JsonObject {
  if (patch[directive] === 'replace') return stripDirectives(patch);
  if (patch[directive] === 'delete') return {};
  const merged: JsonObject = retained(target, patch);
  for (const name in patch) {
    const value = patch[name];
    if (value === undefined || name.startsWith('$')) continue;
    if (value === null) {
      delete merged[name];
      continue;
    }
    const member = isRoot && name === 'metadata' ? metadataSchema : (schema?.properties?.get(name) ?? schema?.values);
    merged[name] = mergeValue(merged[name], value, member);
  }
  for (const name in patch) {
    if (name.startsWith(deleteFromList)) dropPrimitives(merged, name.slice(deleteFromList.length), patch[name]);
    if (name.startsWith(elementOrder)) orderList(merged, name.slice(elementOrder.length), patch[name], schema);
  }
  return merged;
}

function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const names = patch[retainKeys];
  if (!Array.isArray(names)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([name]) => names.includes(name)));
}

function mergeValue(target: JsonValue | undefined, patch: JsonValue, schema: Schema | undefined): JsonValue {
  if (isObject(patch)) {
    if (schema?.patchStrategy.includes('replace') === true) return stripDirectives(patch);
    return mergeMap(isObject(target) ? target : {}, patch, schema);
  }
  if (!Array.isArray(patch)) return patch;
  if (schema?.patchStrategy.includes('merge') !== true) return patch.map((item) => stripAny(item));
  const key = schema.patchMergeKey;
  const current = Array.isArray(target) ? target : [];
  if (key === undefined) return mergePrimitives(current, patch);
  return mergeKeyed(current, patch, key, schema.items);
}

function mergePrimitives(target: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  const merged = [...target, ...patch.filter((item) => !target.some((each) => equal(each, item)))];
  return inOrder(merged, patch, target, undefined);
}

function mergeKeyed(
  target: readonly JsonValue[],
  patch: readonly JsonValue[],
  key: string,
  items: Schema | undefined,
): JsonValue[] {
  if (patch.some((item) => isObject(item) && item[directive] === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item[directive] === 'replace')).map((item) => stripAny(item));
  }
  const merged: JsonValue[] = [...target];
  for (const item of patch) {
    if (!isObject(item)) continue;
    const index = merged.findIndex((each) => isObject(each) && equal(each[key], item[key]));
    const found = merged[index];
    if (item[directive] === 'delete') {
      if (index >= 0) merged.splice(index, 1);
    } else if (isObject(found)) merged[index] = mergeMap(found, item, items);
    else merged.push(mergeMap({}, item, items));
  }
  return inOrder(merged, patch, target, key);
}

function dropPrimitives(merged: JsonObject, name: string, values: JsonValue | undefined): void {
  const list = merged[name];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  merged[name] = list.filter((item) => !values.some((value) => equal(value, item)));
}

/** Puts a list into the order that the patch asks for. */
function orderList(merged: JsonObject, name: string, order: JsonValue | undefined, schema: Schema | undefined): void {
  const list = merged[name];
  if (!Array.isArray(list) || !Array.isArray(order)) return;
  merged[name] = inOrder(list, order, list, schema?.properties?.get(name)?.patchMergeKey);
}

/**
 * Entries that the patch names come in its order. The others are put in between as the live list had them; where the live list does not say,
 * they come last (`mergeSortedSlice` of the real server).
 */
function inOrder(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  key: string | undefined,
): JsonValue[] {
  const keyOf = (item: JsonValue) => JSON.stringify(key !== undefined && isObject(item) ? item[key] : item);
  const wanted = patchOrder.map(keyOf);
  const live = liveOrder.map(keyOf);
  const named = merged.filter((item) => wanted.includes(keyOf(item)));
  named.sort((a, b) => wanted.indexOf(keyOf(a)) - wanted.indexOf(keyOf(b)));
  const others = merged.filter((item) => !wanted.includes(keyOf(item)));
  const result: JsonValue[] = [];
  for (const item of named) {
    const place = live.indexOf(keyOf(item));
    // What the live list has before this entry stays before it.
    const before = place < 0 ? 0 : others.findIndex((other) => live.indexOf(keyOf(other)) > place);
    result.push(...others.splice(0, before < 0 ? others.length : before));
    result.push(item);
  }
  return [...result, ...others];
}

function stripAny(value: JsonValue): JsonValue {
  return isObject(value) ? stripDirectives(value) : value;
}

function stripDirectives(object: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name in object) {
    if (name === directive || (isString(name) && name.startsWith('$'))) continue;
    const value = object[name];
    if (value === null || value === undefined) continue;
    kept[name] = isObject(value) ? stripDirectives(value) : value;
  }
  return kept;
}
