import type { StructuralSchema } from './structural-schema.ts';

/**
 * What is wrong with a schema that is to stand in a CRD, one sentence each, beginning with the path of the field.
 * Beyond what the API server demands, every field is described, every list says how it merges, and everything that people
 * write is bounded, because the API server prices CEL rules by the largest value that the schema lets through.
 */
export function structuralViolations(schema: StructuralSchema, path: string): string[] {
  return [...violations(schema, path)];
}

function* violations(schema: StructuralSchema, path: string): Generator<string> {
  for (const fault of faults(schema)) yield `${path}: ${fault}`;
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member.description === undefined) yield `${path}.${name}: has no description`;
    yield* violations(member, `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* violations(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* violations(schema.additionalProperties, `${path}{}`);
}

function* faults(schema: StructuralSchema): Generator<string> {
  const { type, properties, additionalProperties, required = [] } = schema;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;

  if (type === undefined && !intOrString) yield 'has no type';
  if (type !== undefined && intOrString) yield 'has a type although it is int-or-string';
  if (properties !== undefined && additionalProperties !== undefined)
    yield 'has both properties and additionalProperties';
  if (type === 'object') yield* faultsOfObject(schema);
  if (type === 'array') yield* faultsOfArray(schema);
  if (type === 'string' && schema.maxLength === undefined && schema.enum === undefined && schema.format === undefined) {
    yield 'is a string without maxLength, enum or format';
  }
  for (const name of required) if (properties?.[name] === undefined) yield `requires ${name}, which it does not have`;
  for (const name of required) {
    if (properties?.[name]?.default !== undefined) yield `requires ${name}, which has a default`;
  }
  for (const rule of schema['x-kubernetes-validations'] ?? []) yield* faultsOfSentence(rule.message);
}

function* faultsOfObject(schema: StructuralSchema): Generator<string> {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.properties === undefined && schema.additionalProperties === undefined && !open) {
    yield 'is an object without properties';
  }
  if (schema.additionalProperties !== undefined && schema.maxProperties === undefined)
    yield 'is a map without maxProperties';
}

function* faultsOfArray(schema: StructuralSchema): Generator<string> {
  const listType = schema['x-kubernetes-list-type'];
  if (schema.items === undefined) yield 'is a list without items';
  if (schema.maxItems === undefined) yield 'is a list without maxItems';
  if (listType === undefined) yield 'is a list without x-kubernetes-list-type';
  if (listType !== 'map') return;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const member = schema.items?.properties?.[key];
    const present = member?.default !== undefined || schema.items?.required?.includes(key) === true;
    if (!present) yield `is keyed by ${key}, which its items may lack`;
  }
}

function* faultsOfSentence(message: string): Generator<string> {
  // The API server refuses a CRD whose message has a line break, with words that do not say which message.
  if (message.includes('\n')) yield 'has a rule whose message has a line break';
  if (message.trim().length < 10) yield 'has a rule whose message says nothing';
}
