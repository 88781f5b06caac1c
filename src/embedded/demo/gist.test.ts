import { describe, expect, test } from 'vitest';
import { gistOf } from './gist.ts';

describe('two lines have the same gist', () => {
  test.each`
    one                                             | other                                                    | same
    ${'Warning: drover: shop-server-3 0 %'}         | ${'Warning: drover: shop-server-3 98 %, about 5 s left'} | ${true}
    ${'8 % of 4.0 GiB, about 5 min left'}           | ${'98 % of 4.0 GiB, about 7 s left'}                     | ${true}
    ${'server-3 stays: it leads 2 units, first s1'} | ${'server-3 stays: it leads 4 units, first s1'}          | ${true}
    ${'server-3 stays: it leads 2 units, first s1'} | ${'server-3 stays: it leads 2 units, first s9'}          | ${false}
    ${'pod/shop-server-3 evicted'}                  | ${'pod/shop-server-4 evicted'}                           | ${false}
  `('"$one" and "$other": $same', ({ one, other, same }) => {
    expect(gistOf(one) === gistOf(other)).toBe(same);
  });
});
