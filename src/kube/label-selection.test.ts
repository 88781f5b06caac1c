import { describe, expect, it } from 'vitest';
import { selects } from './label-selection.ts';

const labels = { app: 'db', tier: '' };
const one = (key: string, operator: string, values?: readonly string[]) => ({
  matchExpressions: [{ key, operator, ...(values !== undefined && { values }) }],
});

describe('a label selector', () => {
  it.each([
    ['selects everything when it is empty', {}, true],
    ['selects by equal labels', { matchLabels: { app: 'db' } }, true],
    ['wants all of them', { matchLabels: { app: 'db', zone: 'a' } }, false],
    ['takes an empty value for a value', { matchLabels: { tier: '' } }, true],
    ['In', one('app', 'In', ['db', 'web']), true],
    ['In: another value', one('app', 'In', ['web']), false],
    ['In: no such label', one('zone', 'In', ['a']), false],
    ['NotIn: that value', one('app', 'NotIn', ['db']), false],
    ['NotIn: another value', one('app', 'NotIn', ['web']), true],
    ['NotIn: no such label', one('drover.dev/guard', 'NotIn', ['open']), true],
    ['Exists', one('tier', 'Exists'), true],
    ['Exists: no such label', one('zone', 'Exists'), false],
    ['DoesNotExist', one('zone', 'DoesNotExist'), true],
    ['DoesNotExist: it does', one('app', 'DoesNotExist'), false],
    ['selects nothing by an operator that nobody knows', one('app', 'Like', ['d']), false],
    ['wants both kinds to hold', { matchLabels: { app: 'db' }, ...one('app', 'NotIn', ['db']) }, false],
  ])('%s', (_, selector, expected) => {
    expect(selects(selector, labels)).toBe(expected);
  });
});
