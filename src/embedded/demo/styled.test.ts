import { describe, expect, test } from 'vitest';
import { cut, fit, paint, span, widthOf, wrap } from './styled.ts';

const text = (line: ReturnType<typeof cut>): string => paint(line, false);

describe('a line', () => {
  test.each`
    width | expected
    ${12} | ${'n4 tainted'}
    ${10} | ${'n4 tainted'}
    ${9}  | ${'n4 taint~'}
    ${3}  | ${'n4~'}
    ${1}  | ${'~'}
    ${0}  | ${''}
  `('of ten characters in $width columns: "$expected"', ({ width, expected }) => {
    expect(text(cut([span('n4', 'strong'), span(' tainted', 'busy')], width))).toBe(expected);
  });

  test('is filled up or cut to exactly the width of its column', () => {
    for (const width of [0, 1, 5, 20]) expect(widthOf(fit([span('n4 ready')], width))).toBe(width);
  });
});

describe('a text is broken between words', () => {
  test.each`
    width | lines
    ${30} | ${['jane drains n7 with its disks']}
    ${14} | ${['jane drains n7', 'with its disks']}
    ${6}  | ${['jane', 'drains', 'n7', 'with', 'its', 'disks']}
    ${4}  | ${['jane', 'drai', 'ns', 'n7', 'with', 'its', 'disk', 's']}
  `('in $width columns', ({ width, lines }) => {
    expect(wrap('jane drains n7 with its disks', width)).toEqual(lines);
  });
});

describe('paint', () => {
  test('has colours only where they are wanted', () => {
    expect(paint([span('bad', 'bad'), span(' plain')], true)).toBe('\u001b[31mbad\u001b[0m plain');
    expect(paint([span('bad', 'bad'), span(' plain')], false)).toBe('bad plain');
  });

  test('lets no text steer the terminal', () => {
    expect(paint([span('a\u001b[2Jb\rc\nd')], false)).toBe('a [2Jb c d');
  });
});
