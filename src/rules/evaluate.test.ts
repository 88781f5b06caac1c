import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Rule } from '../model/role-rules.ts';
import { allOf, anyOf, predicateNames } from '../model/role-rules.ts';
import { at, givenGroup, givenProcess } from '../model/testing/given.ts';
import { evaluate } from './evaluate.ts';
import { answerOf, fails, holds, strictest, unknownWhether } from './finding.ts';
import { ask } from './predicates.ts';
import type { Scene } from './testing/scene.ts';
import { inWords, questionIn } from './testing/scene.ts';

/** `drained` is not known, `fully-replicated` fails, `leads-no-unit` holds. */
const scene: Scene = {
  engine: 'foundationdb',
  groups: ['storage-1'],
  processes: [givenProcess('storage-1', { drained: unknown })],
  health: { fullyReplicated: false },
};
const evaluated = (rule: Rule, given: Scene = scene) => inWords(evaluate(rule, questionIn(given, 'storage-1')));

describe('a conjunction', () => {
  test.each`
    rule                                                | answer
    ${allOf()}                                          | ${'allow'}
    ${allOf('always')}                                  | ${'allow'}
    ${allOf('leads-no-unit', 'always')}                 | ${'allow'}
    ${allOf('leads-no-unit', 'fully-replicated')}       | ${'wait NotFullyReplicated'}
    ${allOf('leads-no-unit', 'drained')}                | ${'wait FactUnknown'}
    ${allOf('drained', 'fully-replicated')}             | ${'wait NotFullyReplicated'}
    ${allOf('rest-of-role-serves', 'fully-replicated')} | ${'wait RestOfRoleDown, NotFullyReplicated'}
    ${allOf('drained', 'fully-replicated', 'never')}    | ${'never NeverEvicted'}
    ${allOf('fully-replicated', 'fully-replicated')}    | ${'wait NotFullyReplicated'}
  `('$rule: $answer', ({ rule, answer }) => {
    expect(evaluated(rule)).toBe(answer);
  });
});

describe('a disjunction', () => {
  test.each`
    rule                                                                | answer
    ${anyOf()}                                                          | ${'never NeverEvicted'}
    ${anyOf('drained', 'always')}                                       | ${'allow'}
    ${anyOf('never', 'leads-no-unit')}                                  | ${'allow'}
    ${anyOf('drained', { all: ['always', 'leads-no-unit'] })}           | ${'allow'}
    ${anyOf('drained', { all: ['leads-no-unit', 'fully-replicated'] })} | ${'wait FactUnknown, NotFullyReplicated'}
    ${anyOf('fully-replicated', 'rest-of-role-serves')}                 | ${'wait NotFullyReplicated, RestOfRoleDown'}
    ${anyOf('never', 'drained')}                                        | ${'wait FactUnknown'}
    ${anyOf('never', { all: ['never', 'drained'] })}                    | ${'never NeverEvicted'}
  `('$rule: $answer', ({ rule, answer }) => {
    expect(evaluated(rule)).toBe(answer);
  });
});

describe('an engine out of reach', () => {
  const away: Scene = { ...scene, unreachable: { unreachable: 'connection refused', since: at(-60) } };

  test('answers nothing but what needs no engine', () => {
    for (const predicate of predicateNames) {
      const expected = new Map<string, string>([
        ['always', 'holds'],
        ['never', 'never'],
      ]).get(predicate);
      expect([predicate, ask(predicate, questionIn(away, 'storage-1')).finding]).toEqual([
        predicate,
        expected ?? 'fails',
      ]);
    }
  });

  test('is told once, with its own words and since when', () => {
    const answer = evaluate(allOf('drained', 'leads-no-unit'), questionIn(away, 'storage-1'));
    expect(answer).toEqual({
      kind: 'wait',
      reasons: [reasons.engineUnreachable({ subject: 'storage-1 stays', why: 'connection refused', since: at(-60) })],
    });
  });

  test('does not stand in the way of another way out, nor of a never', () => {
    expect(evaluated(anyOf('drained', 'always'), away)).toBe('allow');
    expect(evaluated(allOf('drained', 'never'), away)).toBe('never NeverEvicted');
  });
});

describe('the predicate never', () => {
  test('says what it is about', () => {
    const asked = (about: 'eviction' | 'replacement') =>
      ask('never', questionIn({ groups: [givenGroup('single-1')] }, 'single-1', about));
    expect(asked('eviction')).toEqual({
      finding: 'never',
      reason: reasons.neverEvicted({ group: 'single-1', role: 'single' }),
    });
    expect(asked('replacement')).toEqual({
      finding: 'never',
      reason: reasons.neverReplaced({ group: 'single-1', role: 'single' }),
    });
  });
});

describe('answers', () => {
  const [one, two] = [reasons.notFollower({ group: 'a' }), reasons.notFollower({ group: 'b' })];

  test('of findings: never before failures before doubts', () => {
    const never = { finding: 'never', reason: two } as const;
    expect(answerOf([], 'g')).toEqual({ kind: 'allow' });
    expect(answerOf([holds, holds], 'g')).toEqual({ kind: 'allow' });
    expect(answerOf([unknownWhether('why'), holds], 'g')).toEqual({
      kind: 'wait',
      reasons: [reasons.factUnknown({ group: 'g', missing: 'why' })],
    });
    expect(answerOf([unknownWhether('why'), fails(one)], 'g')).toEqual({ kind: 'wait', reasons: [one] });
    expect(answerOf([fails(one), fails(two), fails(one)], 'g')).toEqual({ kind: 'wait', reasons: [one, two] });
    expect(answerOf([fails(one), never], 'g')).toEqual({ kind: 'never', reasons: [two] });
  });

  test('the stricter wins, and every reason of its kind is kept once', () => {
    const allow = { kind: 'allow' } as const;
    const wait = (...[first, ...rest]: readonly [typeof one, ...(typeof one)[]]) =>
      ({ kind: 'wait', reasons: [first, ...rest] }) as const;
    expect(strictest([])).toEqual(allow);
    expect(strictest([allow, allow])).toEqual(allow);
    expect(strictest([allow, wait(one)])).toEqual(wait(one));
    expect(strictest([wait(one), wait(two, one)])).toEqual(wait(one, two));
    expect(strictest([wait(one), { kind: 'never', reasons: [two] }, allow])).toEqual({ kind: 'never', reasons: [two] });
  });
});
