import { describe, expect, test } from 'vitest';
import { compileCel } from './expression.ts';

const variables = {
  self: {
    name: 'orders',
    count: 3,
    list: [1, 2, 3],
    map: { a: 'x' },
    empty: [],
    flag: true,
    roles: [
      { name: 'a_b', count: 2 },
      { name: 'c', count: 5 },
    ],
  },
  oldSelf: { name: 'orders', count: 2 },
};

describe('the part of CEL that rules and conditions use', () => {
  test.each([
    ["self.name == 'orders' && self.count > 2", true],
    ["self.name.matches(r'^[a-z]([-a-z0-9]*[a-z0-9])?$')", true],
    ["self.name in ['a', 'orders']", true],
    ["'a' in self.map", true],
    ['has(self.name) && !has(self.nope)', true],
    ['has(self.map.a)', true],
    ['has(self.map.b)', false],
    ['size(self.list) == 3 && size(self.name) == 6', true],
    ['self.list.all(x, x > 0)', true],
    ['self.list.exists(x, x == 2)', true],
    ['self.list.exists_one(x, x > 2)', true],
    ['self.list.map(x, x * 2)', [2, 4, 6]],
    ['self.list.map(x, x > 1, x * 2)', [4, 6]],
    ['self.list.filter(x, x > 1)', [2, 3]],
    ['self.roles.map(role, role.count).sum() <= 7', true],
    [
      "self.roles.all(role, self.roles.exists_one(other, other.name.replace('_', '-') == role.name.replace('_', '-')))",
      true,
    ],
    ['type(self.count) == int ? self.count >= 0 : self.count.matches("x")', true],
    ['self.nope == 1 || self.count == 3', true],
    ['self.count == 3 || self.nope == 1', true],
    ['self.nope == 1 && self.count == 4', false],
    ['self.count != oldSelf.count', true],
    ['1 + 2 * 3 - 4 / 2 == 5 && 7 % 4 == 3', true],
    ["'a' + 'b' == 'ab'", true],
    ['-self.count == -3', true],
    ['self[\'name\'] == "orders"', true],
    ["'it\\'s' == 'it' + \"'s\"", true],
  ])('%s', (source, expected) => {
    expect(compileCel(source)(variables)).toEqual(expected);
  });

  test.each([
    ['self.nope == 1', 'no such key: nope'],
    ['other', "undeclared reference to 'other'"],
    ['self.name > 1', 'no such overload'],
    ['1 / 0', 'division by zero'],
  ])('%s fails: %s', (source, message) => {
    expect(() => compileCel(source)(variables)).toThrow(message);
  });

  test.each(['self.', '1 +', '(1', 'a ~ b'])('%s cannot be read', (source) => {
    expect(() => compileCel(source)).toThrow();
  });
});
