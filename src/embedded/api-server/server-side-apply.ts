import {
  compareFields,
  difference,
  expandSet,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmptySet,
  listElements,
  memberSchema,
  pathsOf,
  undeclaredFields,
} from './field-set.ts';
import { clone, isObject, type JsonObject, type JsonValue, textAt, without } from './json.ts';
import {
  type FieldManager,
  isSameManager,
  type ManagedEntry,
  ownable,
  readManaged,
  withoutUnowned,
  writeManaged,
} from './managed-fields.ts';
import { apiVersionOf, hasStatus, type ResourceDefinition } from './resource-definition.ts';
import type { Schema } from './schema.ts';
import { type StatusCause, StatusError } from './status-error.ts';

/** Who applies, and how. */
export interface AppliedOwnership {
  readonly manager: string;
  readonly subresource: string;
  readonly force: boolean;
  readonly now: string;
}

export interface Applied {
  readonly object: JsonObject;
  /** Writes the new owners into what will be stored. */
  readonly own: (old: JsonObject | undefined, next: JsonObject) => void;
}

/**
 * Server-side apply: what the applier says is merged into the live object, what it said before and no longer says is taken away unless
 * somebody else wants it, and what others own and it would change is a conflict. Throws the API server's 409.
 */
export function applyObject(
  definition: ResourceDefinition,
  live: JsonObject | undefined,
  config: JsonObject,
  ownership: AppliedOwnership,
): Applied {
  const { schema } = definition;
  const manager: FieldManager = {
    name: ownership.manager,
    operation: 'Apply',
    apiVersion: apiVersionOf(definition),
    subresource: ownership.subresource,
  };
  const bare = {
    ...config,
    metadata: isObject(config['metadata']) ? without(config['metadata'], 'managedFields') : {},
  };
  refuseUndeclared(definition, bare);
  const applied = ownable(expandSet(fieldsOf(bare, schema)), ownership.subresource, hasStatus(definition));
  const entries = live === undefined ? [] : readManaged(live);
  const base: JsonObject = live === undefined ? {} : withoutOwners(live);
  const merged = mergeValue(base, bare, schema, true);
  const object: JsonObject = isObject(merged) ? merged : {};
  const { changed } = compareFields(base, object, schema);
  const others = entries.filter((entry) => !isSameManager(entry.manager, manager));
  const touched = withoutUnowned(changed);
  if (!ownership.force && live !== undefined) refuseConflicts(others, touched);
  const previous = entries.find((entry) => isSameManager(entry.manager, manager))?.fields ?? {};
  const dropped = others.reduce((set: FieldSet, entry) => difference(set, entry.fields), difference(previous, applied));
  const pruned = isEmptySet(dropped) ? object : removeFields(object, dropped, schema, true);
  const result = isObject(pruned) ? pruned : object;
  return {
    object: result,
    own: (_old, next) => {
      const kept = others.map(
        (entry): ManagedEntry => ({ ...entry, fields: difference(entry.fields, intersection(entry.fields, touched)) }),
      );
      writeManaged(next, [
        { manager, time: timeOf(entries, manager, applied, ownership.now), fields: applied },
        ...kept,
      ]);
    },
  };
}

/** An apply must know the shape of what it applies; the real server answers with a 500 where it does not. */
function refuseUndeclared(definition: ResourceDefinition, config: JsonObject): void {
  const faults = undeclaredFields(config, definition.schema).map((path) => `${path}: field not declared in schema`);
  if (faults.length === 0) return;
  const where = `${textAt(config, 'metadata', 'namespace')}/${textAt(config, 'metadata', 'name')}`;
  const list = faults.length === 1 ? faults.join('') : `errors:\n${faults.map((each) => `  ${each}`).join('\n')}`;
  const subject = `${where}; ${apiVersionOf(definition)}, Kind=${definition.kind}`;
  throw new StatusError(500, '', `failed to create typed patch object (${subject}): ${list}`);
}

/** The time of an entry moves only when what it owns changes. */
function timeOf(entries: readonly ManagedEntry[], manager: FieldManager, applied: FieldSet, now: string): string {
  const known = entries.find((entry) => isSameManager(entry.manager, manager));
  if (known === undefined) return now;
  const isSame = isEmptySet(difference(known.fields, applied)) && isEmptySet(difference(applied, known.fields));
  return isSame ? known.time : now;
}

function withoutOwners(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isObject(metadata) ? { ...object, metadata: without(metadata, 'managedFields') } : object;
}

function refuseConflicts(others: readonly ManagedEntry[], touched: FieldSet): void {
  const conflicts = others.flatMap(({ manager, fields }) =>
    pathsOf(intersection(fields, touched)).map((path) => ({ who: describe(manager), path })),
  );
  if (conflicts.length === 0) return;
  const causes: StatusCause[] = conflicts.map(({ who, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${who}`,
    field: path,
  }));
  const [first] = conflicts;
  const text =
    conflicts.length === 1 && first !== undefined
      ? `conflict with ${first.who}: ${first.path}`
      : groupedText(conflicts);
  const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
  throw new StatusError(409, 'Conflict', `Apply failed with ${count}: ${text}`, { causes });
}

function groupedText(conflicts: readonly { readonly who: string; readonly path: string }[]): string {
  const groups = Map.groupBy(conflicts, ({ who }) => who);
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([who, list]) => `conflicts with ${who}:\n${list.map(({ path }) => `- ${path}`).join('\n')}`)
    .join('\n');
}

function describe({ name, operation, apiVersion, subresource }: FieldManager): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  if (operation === 'Update') return `${JSON.stringify(name)}${part} using ${apiVersion}`;
  return `${JSON.stringify(name)}${part}`;
}

function mergeValue(
  live: JsonValue | undefined,
  config: JsonValue,
  schema: Schema | undefined,
  isRoot: boolean,
): JsonValue {
  if (Array.isArray(config)) return mergeList(live, config, schema);
  if (!isObject(config) || schema?.atomicMap === true || !isObject(live)) return clone(config);
  const merged: JsonObject = { ...live };
  for (const name in config) {
    const value = config[name];
    if (value === undefined) continue;
    merged[name] = mergeValue(live[name], value, memberSchema(schema, name, isRoot), false);
  }
  return merged;
}

/** Entries of the applied list come in its order; what only the live list has keeps its place before or after them. */
function mergeList(live: JsonValue | undefined, config: JsonValue[], schema: Schema | undefined): JsonValue {
  const wanted = listElements(config, schema);
  const present = Array.isArray(live) ? listElements(live, schema) : undefined;
  if (wanted === undefined || present === undefined) return clone(config);
  const merged: JsonValue[] = [];
  const pending = [...wanted.keys()];
  for (const [key, item] of present) {
    if (!wanted.has(key)) merged.push(item);
    else if (pending.includes(key)) {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        merged.push(mergeValue(present.get(next), wanted.get(next) ?? null, schema?.items, false));
        if (next === key) break;
      }
    }
  }
  for (const key of pending) merged.push(mergeValue(present.get(key), wanted.get(key) ?? null, schema?.items, false));
  return merged;
}

/** The value without the fields of an expanded set; undefined where nothing is left of it. */
function removeFields(
  value: JsonValue,
  fields: FieldSet,
  schema: Schema | undefined,
  isRoot: boolean,
): JsonValue | undefined {
  const keys = Object.keys(fields);
  if (keys.length === 1 && keys[0] === '.')
    return isContainer(value) && hasMembers(value) && schema?.atomicMap !== true && !isAtomicList(value, schema)
      ? value
      : undefined;
  if (Array.isArray(value)) return removeElements(value, fields, schema);
  if (!isObject(value)) return undefined;
  const kept: JsonObject = { ...value };
  for (const key of keys) {
    const inner = fields[key];
    const name = key.slice(2);
    const member = kept[name];
    if (key === '.' || !isObject(inner) || member === undefined) continue;
    const rest = removeFields(member, inner, memberSchema(schema, name, isRoot), false);
    if (rest === undefined) delete kept[name];
    else kept[name] = rest;
  }
  return keys.includes('.') && !hasMembers(kept) ? undefined : kept;
}

function removeElements(list: JsonValue[], fields: FieldSet, schema: Schema | undefined): JsonValue | undefined {
  const elements = listElements(list, schema);
  if (elements === undefined) return undefined;
  const kept: JsonValue[] = [];
  for (const [key, item] of elements) {
    const inner = fields[key];
    if (!isObject(inner)) kept.push(item);
    else if (inner['.'] === undefined) {
      const rest = removeFields(item, inner, schema?.items, false);
      if (rest !== undefined) kept.push(rest);
    }
    // An entry whose own membership is gone goes with all that is in it.
  }
  return kept.length === 0 ? undefined : kept;
}

const isContainer = (value: JsonValue) => isObject(value) || Array.isArray(value);
const hasMembers = (value: JsonValue) =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
const isAtomicList = (value: JsonValue, schema: Schema | undefined) =>
  Array.isArray(value) && schema?.listType === 'atomic';
