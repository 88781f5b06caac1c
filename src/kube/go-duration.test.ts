import { expect, test } from 'vitest';
import { parseGoDuration } from './go-duration.ts';

test.each`
  text        | expected
  ${'3s'}     | ${3000}
  ${'1m30s'}  | ${90_000}
  ${'1h0m0s'} | ${3_600_000}
  ${'250ms'}  | ${250}
  ${'1.5s'}   | ${1500}
  ${'.5s'}    | ${500}
  ${'500µs'}  | ${0.5}
  ${'1000ns'} | ${0.001}
  ${'0s'}     | ${0}
  ${'0'}      | ${0}
  ${''}       | ${undefined}
  ${'00'}     | ${undefined}
  ${'3'}      | ${undefined}
  ${'s'}      | ${undefined}
  ${'-3s'}    | ${undefined}
  ${'3s '}    | ${undefined}
  ${'3 s'}    | ${undefined}
  ${'3d'}     | ${undefined}
  ${'3sx'}    | ${undefined}
`('"$text" is $expected ms', ({ text, expected }) => {
  const parsed = parseGoDuration(text);
  if (expected === undefined) expect(parsed).toBeUndefined();
  else expect(parsed).toBeCloseTo(expected, 9);
});
