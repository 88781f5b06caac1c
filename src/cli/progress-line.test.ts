import { describe, expect, test } from 'vitest';
import type { Screen } from './progress-line.ts';
import { ProgressLine } from './progress-line.ts';

function shown(screen: Partial<Screen>, use: (line: ProgressLine, pass: (milliseconds: number) => void) => void) {
  const written: string[] = [];
  let now = 0;
  const write = (text: string) => written.push(text);
  const line = new ProgressLine({ ...screen, write }, () => now);
  use(line, (milliseconds) => {
    now += milliseconds;
  });
  return written;
}

const erase = '\u001b[K';
const half = `\r[${'#'.repeat(12)}${' '.repeat(12)}] 1 of 2, n1${erase}`;
const full = `\r[${'#'.repeat(24)}] 2 of 2, n1${erase}`;

describe('a line of progress', () => {
  test('overwrites itself, and is wiped out', () => {
    const written = shown({ isTTY: true }, (line, pass) => {
      line.show(1, 2, () => 'n1');
      pass(100);
      line.show(2, 2, () => 'n1');
      line.clear();
    });
    expect(written).toEqual([half, full, `\r${erase}`]);
  });

  test('is shown ten times a second, and the last of it always', () => {
    const written = shown({ isTTY: true }, (line, pass) => {
      line.show(1, 2, () => 'n1');
      pass(99);
      line.show(1, 2, () => 'too soon');
      line.show(2, 2, () => 'n1');
    });
    expect(written).toEqual([half, full]);
  });

  test('does not go on in the next line of a narrow terminal', () => {
    const written = shown({ isTTY: true, columns: 20 }, (line) => line.show(1, 2, () => 'n1'));
    expect(written).toEqual([`\r[${'#'.repeat(12)}${' '.repeat(6)}${erase}`]);
  });

  test('is not shown in a pipe', () => {
    const written = shown({ isTTY: undefined }, (line) => {
      line.show(1, 2, () => 'n1');
      line.clear();
    });
    expect(written).toEqual([]);
  });
});
