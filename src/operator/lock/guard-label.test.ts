import { describe, expect, it } from 'vitest';
import { forceAnnotation, forceOf } from './guard-label.ts';

describe('a forced pod', () => {
  it.each([
    ['names itself and a reason', 'u1 the disk burns', 'the disk burns'],
    ['may be written with care or without', '  u1   the  disk ', 'the disk'],
    ['another pod was meant', 'u0 the disk burns', undefined],
    ['no reason is given', 'u1', undefined],
    ['nothing is said', '', undefined],
  ])('%s', (_, annotation, expected) => {
    expect(forceOf({ [forceAnnotation]: annotation }, 'u1')).toBe(expected);
  });

  it('has an annotation and a uid', () => {
    expect(forceOf(undefined, 'u1')).toBeUndefined();
    expect(forceOf({ [forceAnnotation]: ' why not' }, '')).toBeUndefined();
  });
});
