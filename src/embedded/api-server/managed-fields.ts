import { compactSet, compareFields, difference, expandSet, type FieldSet, isEmptySet, union } from './field-set.ts';
import { isObject, isString, type JsonObject, type JsonValue, listAt, textAt, without } from './json.ts';
import type { Schema } from './schema.ts';

/** Who wrote, and how: one entry of `metadata.managedFields`. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface ManagedEntry {
  readonly manager: FieldManager;
  readonly time: string;
  /** Expanded, see `field-set.ts`. */
  readonly fields: FieldSet;
}

/** Fields that nobody owns: the server writes them, or they name the object. */
const unowned: FieldSet = expandSet({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
});

export const withoutUnowned = (set: FieldSet): FieldSet => difference(set, unowned);

/** Only the part of a set that a write to this subresource can own. */
export function ownable(set: FieldSet, subresource: string, hasStatus: boolean): FieldSet {
  const owned: FieldSet = withoutUnowned(set);
  if (!hasStatus) return owned;
  for (const key in owned) {
    const isStatus = key === 'f:status';
    if (subresource === 'status' ? !isStatus && key !== 'f:metadata' : isStatus) delete owned[key];
  }
  return owned;
}

export function readManaged(object: JsonObject): ManagedEntry[] {
  return listAt(object, 'metadata', 'managedFields').flatMap((entry) => {
    if (!isObject(entry)) return [];
    const fields = entry['fieldsV1'];
    const operation = entry['operation'] === 'Apply' ? ('Apply' as const) : ('Update' as const);
    return [
      {
        manager: {
          name: textAt(entry, 'manager'),
          operation,
          apiVersion: textAt(entry, 'apiVersion'),
          subresource: textAt(entry, 'subresource'),
        },
        time: textAt(entry, 'time'),
        fields: isObject(fields) ? expandSet(fields) : {},
      },
    ];
  });
}

export function writeManaged(object: JsonObject, entries: readonly ManagedEntry[]): void {
  const metadata = object['metadata'];
  if (!isObject(metadata)) return;
  const kept = entries.filter(({ fields }) => !isEmptySet(fields));
  if (kept.length === 0) delete metadata['managedFields'];
  else metadata['managedFields'] = kept.map(entryToJson);
}

function entryToJson({ manager, time, fields }: ManagedEntry): JsonObject {
  return {
    manager: manager.name,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(time !== '' && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: compactSet(fields),
    ...(manager.subresource !== '' && { subresource: manager.subresource }),
  };
}

export const isSameManager = (a: FieldManager, b: FieldManager) =>
  a.name === b.name && a.operation === b.operation && a.apiVersion === b.apiVersion && a.subresource === b.subresource;

/** What a write needs to know to say who owns what. */
export interface TrackedWrite {
  readonly manager: FieldManager;
  readonly now: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
}

/**
 * Records a create or an update: whoever wrote owns what it changed, and everyone else loses that. `next` gets its new `managedFields`.
 * A writer who sends an empty list takes all records away, as on the real server.
 */
export function trackUpdate(old: JsonObject | undefined, next: JsonObject, write: TrackedWrite): void {
  const metadata = next['metadata'];
  const cleared = isObject(metadata) && isCleared(metadata['managedFields']);
  const before = old === undefined || cleared ? [] : readManaged(old);
  if (isObject(metadata)) delete metadata['managedFields'];
  const bare = old === undefined ? undefined : withoutManaged(old);
  const { changed, removed } = compareFields(bare, next, write.schema);
  const taken = ownable(changed, write.manager.subresource, write.hasStatus);
  const entries = before.map((entry): ManagedEntry => {
    const own = isSameManager(entry.manager, write.manager);
    const left = difference(own ? entry.fields : difference(entry.fields, taken), removed);
    return own && !isEmptySet(taken)
      ? { ...entry, time: write.now, fields: union(left, taken) }
      : { ...entry, fields: left };
  });
  if (!before.some(({ manager }) => isSameManager(manager, write.manager)) && !isEmptySet(taken) && !cleared) {
    entries.push({ manager: write.manager, time: write.now, fields: taken });
  }
  writeManaged(next, entries);
}

function isCleared(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 1 && isObject(value[0]) && Object.keys(value[0]).length === 0;
}

function withoutManaged(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || metadata['managedFields'] === undefined) return object;
  return { ...object, metadata: without(metadata, 'managedFields') };
}

/** `kubectl/v1.36 (linux)` writes as `kubectl`. */
export function managerName(fieldManager: string | null, userAgent: string): string {
  if (isString(fieldManager) && fieldManager !== '') return fieldManager;
  const [prefix = ''] = userAgent.split('/', 1);
  return prefix === '' ? 'unknown' : prefix.slice(0, 128);
}
