import { describe, expect, test } from 'vitest';
import { createPrinter, describeBuild, duration, estimateRemaining } from './build-progress.ts';

describe('the estimate', () => {
  test.each`
    packages | compiled | elapsedSeconds | cores | expected
    ${2784}  | ${0}     | ${0}           | ${2}  | ${300}
    ${2784}  | ${0}     | ${0}           | ${8}  | ${81}
    ${2784}  | ${1392}  | ${300}         | ${2}  | ${228}
    ${2784}  | ${2784}  | ${600}         | ${2}  | ${8}
    ${1}     | ${0}     | ${0}           | ${2}  | ${8}
  `('$compiled of $packages after $elapsedSeconds s on $cores cores: $expected s left', ({ expected, ...state }) => {
    expect(estimateRemaining(state)).toBe(expected);
  });

  test('is told in one line', () => {
    expect(describeBuild({ packages: 2784, compiled: 1392, elapsedSeconds: 300, cores: 2 })).toBe(
      'control plane: 1392 of 2784 packages (50 %), 5 min so far, about 3 min 48 s left',
    );
    expect(describeBuild({ packages: 10, compiled: 10, elapsedSeconds: 3, cores: 2 })).toBe(
      'control plane: linking, 3 s so far, about 8 s left',
    );
  });
});

test.each([
  [0, '0 s'],
  [59.6, '1 min'],
  [61, '1 min 1 s'],
  [420, '7 min'],
])('%d s reads %s', (seconds, expected) => {
  expect(duration(seconds)).toBe(expected);
});

describe('the printer', () => {
  function print(isTTY: boolean): string {
    let time = 0;
    let screen = '';
    const printer = createPrinter({ isTTY, write: (text) => (screen += text) }, () => time);
    for (const [seconds, text, lasting] of [
      [0, 'begin', true],
      [1, 'one', false],
      [14, 'two', false],
      [15, 'three', false],
      [16, 'end', true],
    ] as const) {
      time = seconds * 1000;
      printer({ text, lasting });
    }
    return screen;
  }

  test('keeps one living line on a terminal', () => {
    expect(print(true)).toBe('begin\none\r\u001b[Ktwo\r\u001b[Kthree\r\u001b[Kend\n');
  });

  test('prints a line every 15 s elsewhere', () => {
    expect(print(false)).toBe('begin\nthree\nend\n');
  });
});
