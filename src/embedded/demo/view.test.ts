import { describe, expect, test } from 'vitest';
import { paint, widthOf } from './styled.ts';
import { busyMoment } from './testing/given-view.ts';
import { view } from './view.ts';
import { shareOut } from './view-databases.ts';

/** As it stands on the screen, without colours. */
const shown = (columns: number, rows: number, state = busyMoment): string =>
  `${view(state, { columns, rows })
    .map((line) => paint(line, false).trimEnd())
    .join('\n')}\n`;

/**
 * To rewrite what is expected after a change that was meant, and then to READ the difference:
 *
 *   npx vitest run --project unit src/embedded/demo/view.test.ts -u && git diff src/embedded/demo/testing/goldens
 */
describe('the view of a busy moment', () => {
  test.each([
    ['wide', 130, 45],
    ['usual', 80, 24],
    ['narrow', 44, 40],
  ])('on a %s screen, %i by %i', async (name, columns, rows) => {
    await expect(shown(columns, rows)).toMatchFileSnapshot(`testing/goldens/${name}.txt`);
  });

  test('fits every screen, however small', () => {
    for (const columns of [1, 2, 10, 35, 79, 107, 108, 200]) {
      for (const rows of [1, 2, 5, 12, 24, 60]) {
        const lines = view(busyMoment, { columns, rows });
        expect({ columns, rows, lines: lines.length <= rows }).toEqual({ columns, rows, lines: true });
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
      }
    }
  });

  test('never cuts the path of the kubeconfig off: it would be worth nothing', () => {
    for (const columns of [30, 52, 60]) expect(shown(columns, 40).replaceAll('\n', '')).toContain('L9W2Gt/kubeconfig');
  });

  test('tells what came of an act rather than why, where there is no room for both', () => {
    const act = {
      headline: 'Act',
      lines: [...(busyMoment.act?.lines ?? []), { kind: 'result', text: 'Nothing is lost.' }] as const,
    };
    const text = shown(80, 24, { ...busyMoment, act });
    expect(text).toContain('Nothing is lost.');
    expect(text).not.toContain('whoever asks');
  });

  test('without a story it has no headline, and starts with the nodes', () => {
    expect(shown(130, 45, { ...busyMoment, act: null })).not.toContain('Act 3');
  });
});

describe('the lines are shared out', () => {
  test.each`
    wanted       | available | expected
    ${[3, 2, 1]} | ${9}      | ${[3, 2, 1]}
    ${[3, 2, 1]} | ${6}      | ${[3, 2, 1]}
    ${[9, 2, 1]} | ${6}      | ${[3, 2, 1]}
    ${[9, 9, 1]} | ${4}      | ${[2, 1, 1]}
    ${[9, 9]}    | ${0}      | ${[0, 0]}
    ${[]}        | ${5}      | ${[]}
  `('$wanted wanted, $available there: $expected', ({ wanted, available, expected }) => {
    expect(shareOut(wanted, available)).toEqual(expected);
  });
});
