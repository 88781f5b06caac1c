import { describe, expect, test } from 'vitest';
import type { AdmissionAnswer } from '../../kube/admission-review.ts';
import type { Answer } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import type { GivenFound } from '../testing/found-pod.ts';
import { givenAskRow, givenFound } from '../testing/found-pod.ts';
import type { EvictionRequest } from './eviction-request.ts';
import { judge } from './judge-eviction.ts';

const request = (given: Partial<EvictionRequest> = {}): EvictionRequest => ({
  namespace: 'db',
  pod: 'storage-1',
  uid: undefined,
  by: 'jane',
  dryRun: false,
  ...given,
});

const why = reasons.viewTooOld({ group: 'storage-1', observedAt: at(0) });
const wait: Answer = { kind: 'wait', reasons: [why] };
const never: Answer = { kind: 'never', reasons: [why] };

/** `answered 404`, `held 429`, `may-go`. */
function judged(found: GivenFound, asked: Partial<EvictionRequest> = {}, now = at(0)): string {
  const result = judge(request(asked), givenFound(found), now);
  return result.is === 'may-go' ? result.is : `${result.is} ${said(result.answer)}`;
}

const said = (answer: AdmissionAnswer): string => (answer.allowed ? 'allow' : String(answer.code));

function answerTo(found: GivenFound, asked: Partial<EvictionRequest> = {}): AdmissionAnswer {
  const result = judge(request(asked), givenFound(found), at(0));
  if (result.is === 'may-go') throw new Error('it may go');
  return result.answer;
}

describe('an eviction of a guarded pod', () => {
  test.each<[string, GivenFound, string]>([
    ['decided to go', {}, 'may-go'],
    ['decided to wait', { eviction: wait }, 'held 429'],
    ['decided never to go', { eviction: never }, 'held 429'],
    ['of a role that is not locked', { locked: false, eviction: wait }, 'answered allow'],
    ['that has ended well', { pod: { phase: 'Succeeded' }, eviction: wait }, 'answered allow'],
    ['that has failed', { pod: { phase: 'Failed' }, eviction: wait }, 'answered allow'],
    ['that is being deleted', { pod: { deletingSince: at(-1) }, eviction: wait }, 'answered allow'],
    ['that is not placed yet', { pod: { phase: 'Pending', node: null }, eviction: wait }, 'held 429'],
    ['that the node says nothing of', { pod: { phase: 'Unknown' }, eviction: wait }, 'held 429'],
    ['decided exactly a minute ago', { age: 60 }, 'may-go'],
    ['decided more than a minute ago', { age: 60.001 }, 'held 429'],
    ['of a role that is not locked, decided an hour ago', { age: 3600, locked: false }, 'answered allow'],
  ])('%s', (_, found, expected) => {
    expect(judged(found)).toBe(expected);
  });

  test.each([
    ['the pod that is there', 'uid-storage-1', 'held 429'],
    ['another pod than the one that is there', 'uid-of-the-past', 'answered allow'],
  ])('by the uid of %s', (_, uid, expected) => {
    expect(judged({ eviction: wait }, { uid })).toBe(expected);
  });

  test.each([
    [61.5, 'since 2026-11-14T23:58:58Z, for 62 s'],
    [7200, 'since 2026-11-14T22:00:00Z, for 2 h'],
  ])(
    'a decision that is %s s old is told as such: of whom nothing was heard, since when, and what next',
    (age, since) => {
      const message = `drover: storage-1 stays: nothing was heard of StatefulCluster db/orders ${since}; it is being looked at again; if this lasts: kubectl describe statefulcluster orders -n db, and the log of Drover`;
      expect(judge(request(), givenFound({ age }), at(0))).toMatchObject({
        is: 'held',
        answer: { code: 429, message },
      });
      expect(answerTo({ age }, { dryRun: true }).warnings).toEqual([message]);
    },
  );

  test('one that nothing was decided about waits', () => {
    const found = givenFound();
    const decision = { ...found.published.decision, verdicts: [] };
    const result = judge(request(), { ...found, published: { ...found.published, decision } }, at(0));
    expect(result).toMatchObject({ is: 'held', answer: { code: 429 } });
  });
});

describe('the successor of a pod that the same asker had', () => {
  const had = (given: object = {}) => givenAskRow('storage-1', { pod: name('uid-before'), letGoAt: at(-60), ...given });
  const running = { asks: [had()], eviction: wait };

  test.each<[string, GivenFound, Partial<EvictionRequest>, number, string]>([
    ['runs elsewhere: it stays, and the drain ends', running, {}, 0, 'answered 404'],
    ['is what another one asks for', running, { by: 'joe' }, 0, 'held 429'],
    ['is asked for 10 min later, less a moment', running, {}, 539.999, 'answered 404'],
    ['is asked for 10 min later', running, {}, 540, 'held 429'],
    ['may go: it stays all the same', { asks: [had()] }, {}, 0, 'answered 404'],
    [
      'was drained with its node by him: he means the first one',
      { ...running, asks: [had({ times: 0 })] },
      {},
      0,
      'answered 404',
    ],
    ['is not placed yet', { ...running, pod: { node: null, phase: 'Pending' } }, {}, 0, 'answered 429'],
    [
      'finds no place',
      { ...running, pod: { node: null, phase: 'Pending', unschedulable: 'full' } },
      {},
      0,
      'answered 404',
    ],
    ['is placed and does not run yet', { ...running, pod: { phase: 'Pending' } }, {}, 0, 'answered 429'],
    ['runs on a node that is leaving', { ...running, leaving: ['n1'] }, {}, 0, 'held 429'],
    ['runs, and another node is leaving', { ...running, leaving: ['n2'] }, {}, 0, 'answered 404'],
    [
      'came although Drover did not let the first one go',
      { asks: [had({ letGoAt: null })], eviction: wait },
      {},
      0,
      'held 429',
    ],
    [
      'is the very pod that was asked for',
      { asks: [had({ pod: 'uid-storage-1' })], eviction: wait },
      {},
      0,
      'held 429',
    ],
    ['has another name', { asks: [had({ name: 'storage-2' })], eviction: wait }, {}, 0, 'held 429'],
    ['is meant by its uid: it is what the caller wants gone', running, { uid: 'uid-storage-1' }, 0, 'held 429'],
    ['is meant by its uid, and may go', { asks: [had()] }, { uid: 'uid-storage-1' }, 0, 'may-go'],
    ['is tried out and runs', running, { dryRun: true }, 0, 'answered 404'],
    [
      'is tried out and does not run yet: a dry run never waits',
      { ...running, pod: { phase: 'Pending' } },
      { dryRun: true },
      0,
      'answered 404',
    ],
  ])('%s', (_, found, asked, later, expected) => {
    expect(judged(found, asked, at(later))).toBe(expected);
  });

  test('is told in a warning, because kubectl shows nothing else of a 404', () => {
    expect(answerTo(running).warnings).toEqual([
      'drover: storage-1 has left; the pod of that name on n1 is its successor and stays',
    ]);
  });
});

describe('a dry run', () => {
  test.each<[string, GivenFound, number, string]>([
    ['that would go', {}, 404, 'drover: it would go at once'],
    ['of a role that is not locked', { locked: false, eviction: never }, 404, 'drover: it would go at once'],
    ['that would wait', { eviction: wait }, 404, 'drover: it would wait first'],
    ['that would never go', { eviction: never }, 403, `drover: ${why.message}`],
    ['of what was decided too long ago', { age: 61 }, 404, 'drover: it would wait first'],
  ])('%s', (_, found, code, message) => {
    expect(answerTo(found, { dryRun: true })).toMatchObject({ allowed: false, code, message });
    expect(judged(found, { dryRun: true })).toMatch(/^answered/);
  });

  test.each<[string, GivenFound, number]>([
    ['never go', { eviction: never }, 403],
    ['wait', { eviction: wait }, 404],
  ])('of what would %s has its reasons as causes', (_, found, code) => {
    const causes = [{ type: why.code, message: why.message }];
    expect(answerTo(found, { dryRun: true })).toMatchObject({ code, causes });
  });

  test('tells the plan in warnings', () => {
    const moving = reasons.anotherGranted({ group: 'storage-1', granted: 'log-1' });
    expect(answerTo({ eviction: wait, waits: [moving] }, { dryRun: true }).warnings).toEqual([
      'drover: storage-1 would be asked to leave, and would wait first',
      `drover: ${why.message}`,
      `drover: ${moving.message}`,
    ]);
    expect(answerTo({}, { dryRun: true }).warnings).toEqual([
      'drover: storage-1 on n1 would go at once, unless another one of StatefulCluster db/orders goes first',
    ]);
    expect(answerTo({ locked: false }, { dryRun: true }).warnings).toEqual([
      'drover: storage-1 on n1 would go at once',
    ]);
  });
});
