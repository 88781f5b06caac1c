import { fc, test as forAll } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { roleInNames } from './role-in-names.ts';

/** As the kinds have it. */
const role = fc.stringMatching(/^[a-z]([-_a-z0-9]{0,6}[a-z0-9])?$/);

/** All texts of a length. */
const texts = (length: number): readonly string[] =>
  length === 0 ? [''] : texts(length - 1).flatMap((text) => ['a', '1', '-', '_'].map((letter) => `${text}${letter}`));

describe('a role in the name of an object', () => {
  test.each([
    ['storage', 'storage'],
    ['instance-manager', 'instance-manager'],
    ['commit_proxy', 'commit--proxy'],
    ['a__b', 'a---11-b'],
    ['a--b', 'a---00-b'],
    ['a_-b', 'a---10-b'],
    ['a-11-b', 'a-11-b'],
  ])('%s is %s', (given, expected) => {
    expect(roleInNames(given)).toBe(expected);
  });

  forAll.prop([role, role])('is another one for every other role', (one, other) => {
    expect(roleInNames(one) === roleInNames(other)).toBe(one === other);
  });

  forAll.prop([role])('can be in a name, and has no dot', (one) => {
    expect(roleInNames(one)).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);
  });

  test('no two of all short ones are the same', () => {
    const roles = [0, 1, 2, 3, 4, 5].flatMap(texts).map((text) => `a${text}b`);
    expect(new Set(roles.map(roleInNames)).size).toBe(roles.length);
  });
});
