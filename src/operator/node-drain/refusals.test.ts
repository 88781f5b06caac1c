import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../kube/random.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { Refusals } from './refusals.ts';

const pod = (text: string, budgets: readonly string[]) => ({ name: text, uid: name<never>(`uid-${text}`), budgets });
const why = (who: string) => reasons.evictionRefused({ pod: who, words: 'no' });
const [x, y] = [pod('a/x', ['a/web']), pod('a/y', ['a/web'])];

/** What is known of the only budget. */
class Budget {
  allowed = 0;
  version = '1';
  allowedBy = () => this.allowed;
  versionOf = () => this.version;
}
const given = () => {
  const budget = new Budget();
  return { budget, refusals: new Refusals(seededRandom(1), budget) };
};

describe('what was refused', () => {
  test('is not asked for again for seconds, and each time for longer, but never for long', () => {
    const { refusals } = given();
    const waits = Array.from({ length: 9 }, () => {
      refusals.refuse(x, why, at(0));
      return Math.round(((refusals.of(x)?.retryAt ?? at(0)) - at(0)) / 1000);
    });
    expect(waits[0]).toBe(5);
    const growing = waits.slice(0, 5);
    expect(growing).toEqual(growing.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBeLessThanOrEqual(33);
  });

  test('by a budget is refused to all its pods, each by its own name', () => {
    const { refusals } = given();
    refusals.refuse(x, why, at(0));
    expect(refusals.of(y)?.reason).toMatchObject({ message: 'a/y is not evicted: no', since: at(0) });
    expect(refusals.of(pod('a/z', []))).toBeNull();
  });

  test.each`
    allowed | version | still    | what
    ${0}    | ${'2'}  | ${true}  | ${'a budget that changed and allows nothing'}
    ${1}    | ${'1'}  | ${true}  | ${'a budget that is as it was when it was asked'}
    ${1}    | ${'2'}  | ${false} | ${'a budget that allows something now'}
  `('$what: still refused $still', ({ allowed, version, still }) => {
    const { budget, refusals } = given();
    refusals.refuse(x, why, at(0));
    Object.assign(budget, { allowed, version });
    expect(refusals.of(x) !== null).toBe(still);
  });

  test('what was let go is left alone until the view shows it', () => {
    const { refusals } = given();
    refusals.refuse(x, why, at(0));
    refusals.letGo(x, at(10));
    expect(refusals.of(x)).toMatchObject({ reason: { code: 'PodGoing' }, retryAt: at(13) });
    expect(refusals.of(y)).toBeNull();
    refusals.keep([y]);
    expect(refusals.of(x)).toBeNull();
  });
});
