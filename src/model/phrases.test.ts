import { describe, expect, test } from 'vitest';
import { bytes, count, duration, list, moment } from './phrases.ts';
import { at } from './testing/given.ts';
import { seconds } from './time.ts';

describe('phrases for tired people', () => {
  test.each([
    [[], 'none'],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
    [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'a, b and 5 more'],
  ])('a list of %o', (items, says) => {
    expect(list(items)).toBe(says);
  });

  test('a list may be as long as someone wants', () => {
    expect(list(['a', 'b', 'c', 'd', 'e'], 4)).toBe('a, b, c and 2 more');
    expect(list(['a', 'b', 'c', 'd'], 4)).toBe('a, b, c and d');
  });

  test.each([
    [0, '0 zones'],
    [1, '1 zone'],
    [2, '2 zones'],
  ])('%d of something', (number, says) => {
    expect(count(number, 'zone')).toBe(says);
  });

  test('something whose plural is its own', () => {
    expect([1, 2].map((number) => count(number, 'copy', 'copies'))).toEqual(['1 copy', '2 copies']);
  });

  test.each([
    [-5, '0 s'],
    [0, '0 s'],
    [0.4, '0 s'],
    [119, '119 s'],
    [119.4, '119 s'],
    [119.5, '2 min'],
    [120, '2 min'],
    [7169, '119 min'],
    [7170, '2 h'],
    [7200, '2 h'],
    [7260, '2 h 1 min'],
    [172_740, '47 h 59 min'],
    [172_800, '2 days'],
    [176_400, '2 days 1 h'],
    [864_000, '10 days'],
  ])('%d seconds', (value, says) => {
    expect(duration(seconds(value))).toBe(says);
  });

  test('a moment is absolute, in UTC, and as exact as it has to be', () => {
    expect(moment(at(0))).toBe('2026-11-15T00:00:00Z');
    expect(moment(at(0.5))).toBe('2026-11-15T00:00:00.500Z');
  });

  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [10 * 1024, '10 KiB'],
    [126_701_535_232, '118 GiB'],
    [2 * 1024 ** 5, '2.0 PiB'],
    [5000 * 1024 ** 5, '5000 PiB'],
  ])('%d bytes', (amount, says) => {
    expect(bytes(amount)).toBe(says);
  });
});
