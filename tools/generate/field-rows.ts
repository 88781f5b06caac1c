import type { StructuralSchema } from '../../src/api/structural-schema.ts';
import { code } from './markdown.ts';

/** One field of a kind, as the reference shows it. */
export interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly fallback: string;
  readonly description: string;
}

/** Every field below a schema, in the order of the schema, each with its whole path. */
export function* fieldRows(schema: StructuralSchema, path: string): Generator<FieldRow> {
  const required = new Set(schema.required);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    yield {
      path: `${path}.${name}`,
      type: typeOf(member),
      fallback: required.has(name) ? 'required' : defaultOf(member),
      description: member.description ?? '',
    };
    yield* fieldRows(member, `${path}.${name}`);
    yield* fieldRows(member.items ?? {}, `${path}.${name}[]`);
  }
}

/** The sentence of one rule, with the path that it stands at. */
export interface RuleRow {
  readonly path: string;
  readonly message: string;
}

/** Every rule at and below a schema. */
export function* ruleRows(schema: StructuralSchema, path: string): Generator<RuleRow> {
  for (const { message } of schema['x-kubernetes-validations'] ?? []) yield { path, message };
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* ruleRows(member, `${path}.${name}`);
  if (schema.items !== undefined) yield* ruleRows(schema.items, `${path}[]`);
}

function typeOf(schema: StructuralSchema): string {
  const type = plainType(schema);
  return schema.nullable === true ? `${type} or null` : type;
}

function plainType(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.format === 'date-time') return 'time';
  if (schema.format === 'int64') return 'integer (int64)';
  if (schema.type === 'array') return listType(schema);
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'object, kept as it is';
  if (schema.additionalProperties !== undefined) return `map to ${plainType(schema.additionalProperties)}`;
  return `${schema.type ?? 'value'}${range(schema)}`;
}

function listType({ items = {}, maxItems }: StructuralSchema): string {
  const of = items.enum === undefined ? `${items.type ?? 'value'}s` : items.enum.map(code).join(', ');
  return `list of ${of}${maxItems === undefined ? '' : `, at most ${maxItems}`}`;
}

function range({ minimum, maximum }: StructuralSchema): string {
  // The end of 32 bits is not a choice that anyone made.
  if (maximum !== undefined && maximum < 2 ** 31 - 1) return `, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined ? '' : `, from ${minimum}`;
}

function defaultOf(schema: StructuralSchema): string {
  if (schema.default !== undefined) return code(JSON.stringify(schema.default));
  return schema.nullable === true ? code('null') : '';
}
