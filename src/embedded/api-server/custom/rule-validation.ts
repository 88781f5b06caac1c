import { compileCel, type Expression } from '../cel/expression.ts';
import { type FieldError, invalidValue, ruleBroken } from '../field-error.ts';
import { listElements } from '../field-set.ts';
import { isObject, type JsonObject, type JsonValue, listAt, textAt } from '../json.ts';
import { anywhereIn, type Schema } from '../schema.ts';

interface Rule {
  readonly source: string;
  readonly expression: Expression;
  readonly message: string;
  readonly fieldPath: string;
  /** Whether it judges a change, and so is asked only when there was something before. */
  readonly isTransition: boolean;
}

const rulesBySchema = new WeakMap<Schema, readonly Rule[]>();

function rulesOf(schema: Schema): readonly Rule[] {
  let rules = rulesBySchema.get(schema);
  if (rules === undefined) {
    rules = listAt(schema.raw, 'x-kubernetes-validations').map((rule): Rule => {
      const source = textAt(rule, 'rule');
      return {
        source,
        expression: compileCel(source),
        message: textAt(rule, 'message') || `failed rule: ${source}`,
        fieldPath: textAt(rule, 'fieldPath'),
        isTransition: /\boldSelf\b/.test(source),
      };
    });
    rulesBySchema.set(schema, rules);
  }
  return rules;
}

/** Whether a schema has rules, itself or below. */
export const hasRules = anywhereIn((schema) => listAt(schema.raw, 'x-kubernetes-validations').length > 0);

/** What an object breaks of the CEL rules in its schema. */
export function ruleFaults(object: JsonObject, old: JsonObject | undefined, schema: Schema): FieldError[] {
  return [...check(shown(object), old === undefined ? undefined : shown(old), schema, '')];
}

/** A rule on the whole object sees only this of the metadata. */
function shown(object: JsonObject): JsonObject {
  const { metadata } = object;
  const given: JsonObject = isObject(metadata) ? metadata : {};
  const name = given['name'];
  const generateName = given['generateName'];
  return {
    ...object,
    metadata: { ...(name !== undefined && { name }), ...(generateName !== undefined && { generateName }) },
  };
}

function* check(value: JsonValue, old: JsonValue | undefined, schema: Schema, path: string): Generator<FieldError> {
  // A null that the schema allows is as good as absent.
  if (value === null || !hasRules(schema)) return;
  for (const rule of rulesOf(schema)) {
    if (rule.isTransition && old === undefined) continue;
    const fault = judge(rule, value, old, path);
    if (fault !== undefined) yield fault;
  }
  if (Array.isArray(value)) yield* checkList(value, old, schema, path);
  else if (isObject(value)) yield* checkMembers(value, old, schema, path);
}

function judge(rule: Rule, value: JsonValue, old: JsonValue | undefined, path: string): FieldError | undefined {
  const field = `${path}${rule.fieldPath}`.replace(/^\./, '') || '<nil>';
  try {
    if (rule.expression({ self: value, oldSelf: old ?? null }) === true) return undefined;
    return ruleBroken(field, value, rule.message);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return invalidValue(field, null, `rule "${rule.source}" resulted in error: ${why}`);
  }
}

function* checkList(
  value: readonly JsonValue[],
  old: JsonValue | undefined,
  schema: Schema,
  path: string,
): Generator<FieldError> {
  const { items } = schema;
  if (items === undefined) return;
  // Only entries that have a key can be found again in the old list.
  const before = schema.listType === 'map' && Array.isArray(old) ? listElements(old, schema) : undefined;
  const now = schema.listType === 'map' ? listElements(value, schema) : undefined;
  const keys = now === undefined ? [] : [...now.keys()];
  for (const [index, item] of value.entries()) {
    yield* check(item, before?.get(keys[index] ?? ''), items, `${path}[${index}]`);
  }
}

function* checkMembers(
  value: JsonObject,
  old: JsonValue | undefined,
  schema: Schema,
  path: string,
): Generator<FieldError> {
  const before = isObject(old) ? old : undefined;
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    const inner = schema.properties?.get(name) ?? schema.values;
    if (member === undefined || inner === undefined) continue;
    yield* check(member, before?.[name] ?? undefined, inner, path === '' ? name : `${path}.${name}`);
  }
}
