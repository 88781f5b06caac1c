import { expect, test } from 'vitest';
import { mergeOver } from './merge-over.ts';

test.each([
  ['nothing', { a: 1 }, {}, { a: 1 }],
  ['another member', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ['the same member', { a: 1 }, { a: 2 }, { a: 2 }],
  ['null', { a: 1, b: 1 }, { a: null }, { b: 1 }],
  ['a member of a member', { a: { b: 1, c: 1 } }, { a: { b: 2 } }, { a: { b: 2, c: 1 } }],
  ['an object in place of a number, without its nulls', { a: 1 }, { a: { b: 2, c: null } }, { a: { b: 2 } }],
  ['a list', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['an empty list', { a: [{ name: 'x' }] }, { a: [] }, { a: [] }],
  [
    'a list with names',
    { a: [{ name: 'x', v: 1, w: 1 }, { name: 'y' }] },
    { a: [{ name: 'z' }, { name: 'x', v: 2 }] },
    { a: [{ name: 'x', v: 2, w: 1 }, { name: 'y' }, { name: 'z' }] },
  ],
  ['a list with names over one without', { a: [{ key: 'x' }] }, { a: [{ name: 'x' }] }, { a: [{ name: 'x' }] }],
])('%s is merged over', (_, base, over, expected) => {
  expect(mergeOver(base, over)).toEqual(expected);
});
