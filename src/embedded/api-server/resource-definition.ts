import type { FieldError } from './field-error.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { NameRule } from './name-rules.ts';
import type { Schema } from './schema.ts';
import type { GroupResource } from './status-error.ts';

/** A column of a Table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description: string;
  readonly priority?: number;
}

/** How `kubectl get` shows a kind. */
export interface TableLayout {
  readonly columns: readonly TableColumn[];
  /** One cell a column. `now` in milliseconds, for ages. */
  readonly row: (object: JsonObject, now: number) => JsonValue[];
}

/** What a kind does with what people write: the rules that the schema does not carry. All may change the object that they are given. */
export interface Strategy {
  /** What may stand in `metadata.name`. */
  readonly name: NameRule;
  /** Whether `metadata.generation` counts the changes of the spec. */
  readonly generation: boolean;
  /** Whether an update without `resourceVersion` is taken. */
  readonly unconditionalUpdate: boolean;
  /** Whether a PUT makes what is not there. */
  readonly createOnUpdate: boolean;
  /** Whether a DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Whether dependents are orphaned or waited for on request. */
  readonly collectsGarbage: boolean;
  /** What the kind fills in wherever it is read: on create, on update and on patch. */
  readonly setDefaults?: (object: JsonObject) => void;
  readonly prepareCreate?: (object: JsonObject, context: WriteContext) => void;
  readonly prepareUpdate?: (next: JsonObject, old: JsonObject, context: WriteContext) => void;
  /** What an update of the status keeps or refuses, beyond taking only the status. */
  readonly prepareStatus?: (next: JsonObject, old: JsonObject) => void;
  readonly validate?: (object: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (next: JsonObject, old: JsonObject) => readonly FieldError[];
  readonly validateStatus?: (next: JsonObject, old: JsonObject) => readonly FieldError[];
  readonly warnings?: (object: JsonObject) => readonly string[];
  /** Fields that can be selected by, beside name and namespace. */
  readonly fields?: Readonly<Record<string, (object: JsonObject) => string>>;
  /** Present: deletion is graceful, and this is how long it takes. */
  readonly gracePeriod?: (object: JsonObject, requested: number | undefined) => number;
}

export interface WriteContext {
  /** In seconds, as `metav1.Time` is written. */
  readonly now: string;
  /** A new address for a service. */
  readonly clusterAddress: () => string;
  readonly uid: () => string;
}

/** How one served version differs from what is stored. */
export interface View {
  readonly fromStored: (object: JsonObject) => JsonObject;
  readonly toStored: (object: JsonObject) => JsonObject;
}

/** One served version of one kind. */
export interface ResourceDefinition extends GroupResource {
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Where its objects live; versions of one kind share it. */
  readonly storage: string;
  readonly schema: Schema;
  /** The name of the schema in the OpenAPI document. */
  readonly schemaName: string;
  /** Present for kinds that a CustomResourceDefinition brought. */
  readonly custom?: CustomKind;
  readonly subresources: readonly string[];
  readonly strategy: Strategy;
  readonly view?: View;
  readonly table: TableLayout;
}

/** What a definition says of its kind beyond the schema. */
export interface CustomKind {
  readonly raw: JsonObject;
  /** The object without what the schema does not know, with its defaults. Unknown fields are reported. */
  readonly decode: (object: JsonObject, unknown: string[]) => JsonObject;
  /** Faults by the structural schema and its rules. */
  readonly validate: (object: JsonObject, old: JsonObject | undefined) => readonly FieldError[];
  readonly scale: { readonly spec: string; readonly status: string; readonly selector: string | undefined } | undefined;
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }) =>
  group === '' ? version : `${group}/${version}`;

export const hasStatus = (definition: ResourceDefinition) => definition.subresources.includes('status');
