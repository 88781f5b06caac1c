import { expect, test } from 'vitest';
import { formatQuantity, parseQuantity } from './quantity.ts';

test.each([
  ['1000m', '1'],
  ['0.5', '500m'],
  ['1024Mi', '1Gi'],
  ['1536Mi', '1536Mi'],
  ['1000', '1k'],
  ['0', '0'],
  ['1.5Gi', '1536Mi'],
  ['100Ki', '100Ki'],
  ['512', '512'],
  ['2e3', '2e3'],
  ['-5', '-5'],
])('%s is written %s', (text, canonical) => {
  const quantity = parseQuantity(text);
  expect(quantity === undefined ? undefined : formatQuantity(quantity)).toBe(canonical);
});

test.each(['', 'x', '1x', '1 Gi', '--1'])('%s is no quantity', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});
