import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { foreignObject, setOf, text, wholeNumber, writtenInstant } from './field-types.ts';
import { NotStructuralError, toStructuralSchema } from './structural-schema.ts';
import { durationInSecondsSchema } from './v1alpha1/duration-in-seconds.ts';
import { zoneLimitSchema } from './v1alpha1/zone-limit.ts';

const drawn = (schema: z.ZodType) => toStructuralSchema('Test', schema);

describe('a zod schema becomes what a CRD can say', () => {
  test('a default is kept, and makes the field optional', () => {
    expect(drawn(z.object({ a: wholeNumber({ min: 1, max: 9 }).default(3), b: z.boolean() }))).toEqual({
      type: 'object',
      properties: { a: { type: 'integer', minimum: 1, maximum: 9, default: 3 }, b: { type: 'boolean' } },
      required: ['b'],
    });
  });

  test('a null default is left out, because the API server drops it', () => {
    expect(drawn(z.int().nullable().default(null))).toEqual({ type: 'integer', nullable: true });
  });

  test('a choice that may be null is a rule, because no enum lets null past', () => {
    expect(drawn(z.enum(['Eviction', 'Cordon']).nullable())).toEqual({
      type: 'string',
      nullable: true,
      maxLength: 8,
      'x-kubernetes-validations': [
        { rule: "self in ['Eviction', 'Cordon']", message: 'must be null or one of Eviction, Cordon' },
      ],
    });
  });

  test('a pattern becomes a rule with a sentence', () => {
    expect(drawn(text({ pattern: /^a\/b$/, maxLength: 9, says: 'must be a/b, and nothing else' }))).toEqual({
      type: 'string',
      maxLength: 9,
      'x-kubernetes-validations': [{ rule: "self.matches(r'^a/b$')", message: 'must be a/b, and nothing else' }],
    });
  });

  test('a moment that a person writes has no format, which would let a list past', () => {
    expect(drawn(writtenInstant())).not.toHaveProperty('format');
  });

  test('an int64 has no bound above, which JavaScript could not write', () => {
    expect(drawn(durationInSecondsSchema)).toEqual({ type: 'integer', format: 'int64', minimum: 0 });
  });

  test('a number or a percentage is an int-or-string', () => {
    const schema = drawn(zoneLimitSchema);
    expect(schema).toMatchObject({ 'x-kubernetes-int-or-string': true, maxLength: 4 });
    expect(schema).not.toHaveProperty('type');
    expect(schema).not.toHaveProperty('anyOf');
  });

  test("part of another kind's object keeps what it does not know", () => {
    expect(drawn(foreignObject())).toEqual({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  });

  test('a set says that it is one', () => {
    expect(drawn(setOf(z.string().max(9), 5))).toEqual({
      type: 'array',
      items: { type: 'string', maxLength: 9 },
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
    });
  });
});

describe('what a CRD cannot say is refused when it is generated', () => {
  test.each([
    ['a union', z.object({ a: z.union([z.string(), z.boolean()]) }), 'anyOf'],
    ['a discriminated union', z.object({ a: z.discriminatedUnion('t', [z.object({ t: z.literal('x') })]) }), 'oneOf'],
    ['a tuple', z.object({ a: z.tuple([z.string(), z.int()]) }), 'a.items'],
    ['an unknown format', z.object({ a: z.email() }), 'format'],
  ])('%s', (_, schema, word) => {
    expect(() => drawn(schema)).toThrow(NotStructuralError);
    expect(() => drawn(schema)).toThrow(word);
  });
});
