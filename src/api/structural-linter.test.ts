import { describe, expect, test } from 'vitest';
import { structuralViolations } from './structural-linter.ts';
import type { StructuralSchema } from './structural-schema.ts';

const field = (schema: StructuralSchema): StructuralSchema => ({
  type: 'object',
  properties: { field: { description: 'A field.', ...schema } },
});
const text: StructuralSchema = { type: 'string', maxLength: 9 };

describe('the linter finds what the API server, or a person, would stumble over', () => {
  test.each<[string, StructuralSchema, string]>([
    ['no type', {}, 'spec.field: has no type'],
    [
      'a type and int-or-string',
      { type: 'string', maxLength: 1, 'x-kubernetes-int-or-string': true },
      'spec.field: has a type although it is int-or-string',
    ],
    ['an object of nothing', { type: 'object' }, 'spec.field: is an object without properties'],
    [
      'a map without bound',
      { type: 'object', additionalProperties: text },
      'spec.field: is a map without maxProperties',
    ],
    [
      'members and a map',
      { type: 'object', properties: {}, additionalProperties: text, maxProperties: 1 },
      'spec.field: has both properties and additionalProperties',
    ],
    ['text without bound', { type: 'string' }, 'spec.field: is a string without maxLength, enum or format'],
    [
      'a list of nothing',
      { type: 'array', maxItems: 1, 'x-kubernetes-list-type': 'set' },
      'spec.field: is a list without items',
    ],
    [
      'a list without bound',
      { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      'spec.field: is a list without maxItems',
    ],
    [
      'a list that does not say how it merges',
      { type: 'array', items: text, maxItems: 1 },
      'spec.field: is a list without x-kubernetes-list-type',
    ],
    [
      'a list keyed by something that may be absent',
      {
        type: 'array',
        maxItems: 1,
        items: { type: 'object', properties: { name: { ...text, description: 'A name.' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      'spec.field: is keyed by name, which its items may lack',
    ],
    [
      'a required member that is not there',
      { type: 'object', properties: {}, required: ['x'] },
      'spec.field: requires x, which it does not have',
    ],
    [
      'a required member with a default',
      { type: 'object', properties: { x: { ...text, description: 'X.', default: '' } }, required: ['x'] },
      'spec.field: requires x, which has a default',
    ],
    ['a member without words', { type: 'object', properties: { x: text } }, 'spec.field.x: has no description'],
    [
      'a rule in two lines',
      { ...text, 'x-kubernetes-validations': [{ rule: 'true', message: 'one line\nand another' }] },
      'spec.field: has a rule whose message has a line break',
    ],
    [
      'a rule without words',
      { ...text, 'x-kubernetes-validations': [{ rule: 'true', message: 'bad' }] },
      'spec.field: has a rule whose message says nothing',
    ],
    [
      'a fault inside a list',
      { type: 'array', items: {}, maxItems: 1, 'x-kubernetes-list-type': 'set' },
      'spec.field[]: has no type',
    ],
    [
      'a fault inside a map',
      { type: 'object', additionalProperties: {}, maxProperties: 1 },
      'spec.field{}: has no type',
    ],
  ])('%s', (_, schema, violation) => {
    expect(structuralViolations(field(schema), 'spec')).toEqual([violation]);
  });

  test('and nothing else', () => {
    expect(structuralViolations(field(text), 'spec')).toEqual([]);
  });
});
