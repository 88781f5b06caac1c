import { readFileSync } from 'node:fs';
import { isObject, isString, type JsonObject, type JsonValue } from './json.ts';

/**
 * What is known of the shape of a value: for built-in kinds from the real API server's OpenAPI document, for custom ones from their
 * definition. Everything that depends on shape reads this: unknown fields, merging of lists, ownership of fields, `kubectl explain`.
 */
export interface Schema {
  /** The OpenAPI document's own words, with references. */
  readonly raw: JsonObject;
  /** The name of the Go type, for messages about JSON that does not fit. */
  readonly goType: string;
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly properties: ReadonlyMap<string, Schema> | undefined;
  readonly items: Schema | undefined;
  /** The values of a map. */
  readonly values: Schema | undefined;
  readonly required: readonly string[];
  /** Anything goes below this. */
  readonly open: boolean;
  readonly listType: 'atomic' | 'map' | 'set';
  readonly listKeys: readonly string[];
  readonly atomicMap: boolean;
  /** How a strategic merge patch treats a list or a map. */
  readonly patchMergeKey: string | undefined;
  readonly patchStrategy: readonly string[];
  readonly zero: 'omit' | 'drop' | 'emit' | undefined;
  readonly intOrString: boolean;
}

/** Finds the schema that a `$ref` names. */
export type Definitions = (name: string) => JsonObject | undefined;

const referencePrefix = '#/components/schemas/';

/** Whether something holds for a schema or any below it, found out once for each. Not for schemas that contain themselves. */
export function anywhereIn(holds: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>();
  const search = (schema: Schema): boolean => {
    let found = known.get(schema);
    if (found === undefined) {
      const members = [...(schema.properties?.values() ?? []), schema.items, schema.values];
      found = holds(schema) || members.some((member) => member !== undefined && search(member));
      known.set(schema, found);
    }
    return found;
  };
  return search;
}

/** The schema as OpenAPI writes it, ready to walk. Members are resolved when they are first looked at, so schemas may be recursive. */
export function compileSchema(raw: JsonObject, definitions: Definitions = () => undefined): Schema {
  return new CompiledSchema(raw, definitions, '');
}

class CompiledSchema implements Schema {
  readonly raw: JsonObject;
  readonly goType: string;
  readonly #merged: JsonObject;
  readonly #definitions: Definitions;
  #properties: ReadonlyMap<string, Schema> | undefined;
  #items: Schema | undefined;
  #values: Schema | undefined;

  constructor(raw: JsonObject, definitions: Definitions, goType: string) {
    this.raw = raw;
    this.#definitions = definitions;
    const reference = referenceOf(raw);
    const target = reference === undefined ? undefined : definitions(reference);
    this.goType = reference?.split('.').at(-1) ?? goType;
    this.#merged = target === undefined ? raw : { ...target, ...raw };
    const properties = this.#merged['properties'];
    const items = this.#merged['items'];
    const values = this.#merged['additionalProperties'];
    this.type = text(this.#merged['type']);
    this.format = text(this.#merged['format']);
    this.required = texts(this.#merged['required']);
    this.intOrString =
      this.#merged['x-kubernetes-int-or-string'] === true ||
      this.format === 'int-or-string' ||
      reference === intOrStringName;
    this.open =
      this.#merged['x-kubernetes-preserve-unknown-fields'] === true ||
      (this.type === 'object' && properties === undefined && values === undefined) ||
      (this.type === undefined && !this.intOrString && properties === undefined && items === undefined);
    const listType = this.#merged['x-kubernetes-list-type'];
    this.listType = listType === 'map' || listType === 'set' ? listType : 'atomic';
    this.listKeys = texts(this.#merged['x-kubernetes-list-map-keys']);
    this.atomicMap = this.#merged['x-kubernetes-map-type'] === 'atomic';
    this.patchMergeKey = text(this.#merged['x-kubernetes-patch-merge-key']);
    this.patchStrategy = (text(this.#merged['x-kubernetes-patch-strategy']) ?? '').split(',');
    const zero = raw['x-go'];
    this.zero = zero === 'omit' || zero === 'drop' || zero === 'emit' ? zero : undefined;
    this.#hasItems = isObject(items);
    this.#hasValues = isObject(values);
    this.#hasProperties = isObject(properties);
  }

  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly required: readonly string[];
  readonly open: boolean;
  readonly listType: 'atomic' | 'map' | 'set';
  readonly listKeys: readonly string[];
  readonly atomicMap: boolean;
  readonly patchMergeKey: string | undefined;
  readonly patchStrategy: readonly string[];
  readonly zero: 'omit' | 'drop' | 'emit' | undefined;
  readonly intOrString: boolean;
  readonly #hasItems: boolean;
  readonly #hasValues: boolean;
  readonly #hasProperties: boolean;

  get properties(): ReadonlyMap<string, Schema> | undefined {
    if (!this.#hasProperties) return undefined;
    if (this.#properties !== undefined) return this.#properties;
    const found = new Map<string, Schema>();
    const members = this.#merged['properties'];
    if (isObject(members)) {
      for (const name in members) {
        const member = members[name];
        if (isObject(member)) found.set(name, this.#member(member));
      }
    }
    this.#properties = found;
    return found;
  }

  get items(): Schema | undefined {
    if (!this.#hasItems) return undefined;
    this.#items ??= this.#memberAt('items');
    return this.#items;
  }

  get values(): Schema | undefined {
    if (!this.#hasValues) return undefined;
    this.#values ??= this.#memberAt('additionalProperties');
    return this.#values;
  }

  #memberAt(key: string): Schema | undefined {
    const member = this.#merged[key];
    return isObject(member) ? this.#member(member) : undefined;
  }

  #member(raw: JsonObject): Schema {
    return new CompiledSchema(raw, this.#definitions, this.goType);
  }
}

const intOrStringName = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

/** The name that a schema refers to; OpenAPI 3.0 wraps a reference that has a description into `allOf`. */
function referenceOf(raw: JsonObject): string | undefined {
  const [first] = Array.isArray(raw['allOf']) ? raw['allOf'] : [raw];
  const reference = isObject(first) ? first['$ref'] : undefined;
  return isString(reference) ? reference.slice(referencePrefix.length) : undefined;
}

const text = (value: JsonValue | undefined) => (isString(value) ? value : undefined);
const texts = (value: JsonValue | undefined) => (Array.isArray(value) ? value.filter(isString) : []);

let builtin: JsonObject | undefined;

/** The schemas of the built-in kinds, by OpenAPI name, as a real API server gave them (test/cluster/api-server-parity.schemas.ts). */
export function builtinSchemas(): JsonObject {
  if (builtin !== undefined) return builtin;
  const parsed: unknown = JSON.parse(readFileSync(new URL('./generated/schemas.json', import.meta.url), 'utf8'));
  builtin = isObject(parsed) ? parsed : {};
  return builtin;
}

/** The schema of a built-in kind. */
export function builtinSchema(name: string): Schema {
  const definitions: Definitions = (wanted) => {
    const found = builtinSchemas()[wanted];
    return isObject(found) ? found : undefined;
  };
  return compileSchema({ $ref: `${referencePrefix}${name}` }, definitions);
}

/** The schema of the metadata that every kind has. */
export const metadataSchema: Schema = builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
