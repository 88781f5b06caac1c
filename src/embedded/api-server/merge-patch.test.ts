import { expect, test } from 'vitest';
import type { JsonValue } from './json.ts';
import { mergePatch } from './merge-patch.ts';

test.each<[what: string, target: JsonValue, patch: JsonValue, merged: JsonValue]>([
  ['objects are merged', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
  ['null takes away', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
  ['a list replaces a list', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['what is new has no nulls', {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
  ['nor has what is in a list', { a: [1] }, { a: [{ b: null, c: [{ d: null }] }] }, { a: [{ c: [{}] }] }],
  ['an item that is null stays', { a: [1] }, { a: [null, 1] }, { a: [null, 1] }],
  ['a list in the place of an object is as given', { a: { b: 1 } }, { a: [{ c: null }] }, { a: [{ c: null }] }],
])('%s', (_, target, patch, merged) => {
  const before = structuredClone(target);
  expect(mergePatch(target, patch)).toEqual(merged);
  expect(target).toEqual(before);
});
