import { expect, test } from 'vitest';
import { thousandths } from './quantity.ts';

test.each<[string | number, bigint]>([
  ['1000m', 1000n],
  ['0.5', 500n],
  ['.5', 500n],
  ['1024Mi', 1024n ** 3n * 1000n],
  ['1536Mi', 1536n * 1024n ** 2n * 1000n],
  ['1.5Gi', 1536n * 1024n ** 2n * 1000n],
  ['1000', 1_000_000n],
  ['1k', 1_000_000n],
  ['0', 0n],
  ['100Ki', 102_400_000n],
  ['512', 512_000n],
  ['2e3', 2_000_000n],
  ['2E3', 2_000_000n],
  ['5e-1', 500n],
  ['2E', 2n * 10n ** 21n],
  ['-5', -5000n],
  ['+5', 5000n],
  ['1n', 1n],
  ['1500u', 2n],
  ['-1500u', -2n],
  ['0.0001Ki', 103n],
  [2, 2000n],
  [0.1, 100n],
])('%s is %s thousandths', (text, expected) => {
  expect(thousandths(text)).toBe(expected);
});

test.each(['', '.', 'x', '1x', '1 Gi', '--1', '1e', '1e99', '1e999999999', '9'.repeat(65)])(
  '"%s" is no quantity',
  (text) => {
    expect(thousandths(text)).toBeUndefined();
  },
);
