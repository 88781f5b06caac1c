import { expect, test } from 'vitest';
import type { AdmissionAnswer, AdmissionRequest } from '../../../kube/admission-review.ts';
import { millis } from '../../../kube/clock.ts';
import { judgeAnswer } from './answers.ts';

const request: AdmissionRequest = {
  uid: '1',
  operation: 'CREATE',
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subResource: 'eviction',
  name: 'ledger-0',
  namespace: 'db',
  userInfo: { username: 'jane', uid: undefined, groups: [] },
  object: undefined,
  oldObject: undefined,
  options: undefined,
  dryRun: false,
};
const no = (code: 403 | 404 | 429): AdmissionAnswer => ({ allowed: false, code, reason: '', message: 'not now' });

test.each`
  answer               | took    | said
  ${{ allowed: true }} | ${0}    | ${undefined}
  ${no(429)}           | ${2000} | ${undefined}
  ${no(404)}           | ${0}    | ${undefined}
  ${no(403)}           | ${0}    | ${'the eviction of ledger-0 was answered with 403: not now'}
  ${{ allowed: true }} | ${2999} | ${undefined}
  ${{ allowed: true }} | ${3000} | ${'the eviction of ledger-0 was answered after 3000 ms'}
`('an eviction answered with $answer after $took ms: $said', ({ answer, took, said }) => {
  expect(judgeAnswer({ request, answer, took: millis(took) })?.what).toBe(said);
});

test('an eviction that is not answered at all', () => {
  expect(judgeAnswer({ request, failure: new Error('out of paper') })).toEqual({
    invariant: 'I11',
    what: 'the eviction of ledger-0 was not answered: out of paper',
  });
});
