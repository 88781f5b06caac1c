import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { AdmissionAnswer } from './admission-review.ts';
import { formatReview, MalformedReview, parseReview } from './admission-review.ts';
import { presentableWarnings } from './admission-warnings.ts';

/** As Kubernetes 1.36 sent it for `kubectl drain --dry-run=server`, with the object cut short. */
const request = {
  uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subResource: 'eviction',
  name: 'db-0',
  namespace: 'db',
  operation: 'CREATE',
  userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
  object: { kind: 'Eviction', deleteOptions: { dryRun: ['All'] } },
  oldObject: null,
  dryRun: false,
  options: { kind: 'CreateOptions' },
};
const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
const bytes = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('a review is read', () => {
  test('as the API server writes it', () => {
    expect(parseReview(bytes(review))).toEqual({
      ...request,
      oldObject: undefined,
      userInfo: { username: 'admin', uid: undefined, groups: ['system:masters', 'system:authenticated'] },
    });
  });

  test('empty and absent texts are the same', () => {
    const { name: _, ...nameless } = request;
    for (const given of [{ ...nameless, namespace: '' }, nameless]) {
      const read = parseReview(bytes({ ...review, request: { ...given, userInfo: {} } }));
      expect(read).toMatchObject({ name: undefined, userInfo: { username: '', groups: [] } });
    }
  });

  const without = (field: string) => ({ ...review, request: { ...request, [field]: undefined } });
  test.each<[string, unknown, string]>([
    ['nothing', '', 'the body is empty'],
    ['no JSON', '{"apiVersion":', 'the body is not JSON'],
    ['a list', [], 'the body is JSON, but not an object'],
    ['null', 'null', 'the body is JSON, but not an object'],
    ['very deep JSON', '['.repeat(1_000_000), 'the body is not JSON'],
    [
      'v1beta1',
      { ...review, apiVersion: 'admission.k8s.io/v1beta1' },
      'got "AdmissionReview" of "admission.k8s.io/v1beta1"',
    ],
    ['another kind', { ...review, kind: 'Status' }, 'got "Status" of "admission.k8s.io/v1"'],
    ['no version', { kind: 'AdmissionReview', request }, 'of undefined'],
    ['no request', { ...review, request: null }, 'request is not an object'],
    ['a request that is a list', { ...review, request: [] }, 'request is not an object'],
    ['no uid', without('uid'), 'request.uid is missing'],
    ['a uid that is a number', { ...review, request: { ...request, uid: 7 } }, 'request.uid is not a string'],
    ['no operation', without('operation'), 'request.operation is undefined'],
    ['no resource', without('resource'), 'request.resource is not an object'],
    ['no kind', without('kind'), 'request.kind is not an object'],
    ['no user', without('userInfo'), 'request.userInfo is not an object'],
    ['groups of numbers', { ...review, request: { ...request, userInfo: { groups: [1] } } }, 'not a list of strings'],
  ])('%s is refused with a clear text', (_, body, says) => {
    expect(() => parseReview(bytes(body))).toThrow(MalformedReview);
    expect(() => parseReview(bytes(body))).toThrow(says);
  });

  test('wrong UTF-8 is refused, not repaired: two names must never become one', () => {
    const body = Buffer.from(JSON.stringify({ ...review, request: { ...request, name: 'db-X' } }));
    body[body.indexOf('X')] = 0xff;
    expect(() => parseReview(body)).toThrow('the body is not UTF-8');
  });

  property.prop([fc.uint8Array({ maxLength: 200 })])('any bytes give a request or MalformedReview', (body) => {
    expect(() => parseReview(body)).toThrow(MalformedReview);
  });

  property.prop([fc.json(), fc.constantFrom(...Object.keys(request))])('any value in any field, too', (json, field) => {
    const body = bytes({ ...review, request: { ...request, [field]: JSON.parse(json) } });
    try {
      expect(parseReview(body).uid).not.toBe('');
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedReview);
    }
  });
});

describe('an answer is written', () => {
  const written = (answer: AdmissionAnswer): unknown => JSON.parse(formatReview('u1', answer));

  test('yes', () => {
    expect(written({ allowed: true })).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: true },
    });
  });

  test('no, with the code that the API server needs', () => {
    const answer = { allowed: false, code: 429, reason: 'TooManyRequests', message: 'a\nb', warnings: ['w'] } as const;
    expect(written(answer)).toMatchObject({
      response: {
        uid: 'u1',
        allowed: false,
        status: { status: 'Failure', code: 429, reason: 'TooManyRequests', message: 'a\nb' },
        warnings: ['w'],
      },
    });
    expect(JSON.stringify(written(answer))).not.toContain('retryAfterSeconds');
  });

  const cause = (message: string) => ({ type: 'LastReplica', message });
  test.each<[string, readonly string[] | undefined, readonly string[] | undefined]>([
    ['none', undefined, undefined],
    ['not an empty list', [], undefined],
    ['as they are', ['it is\nthe last'], ['it is\nthe last']],
    ['whole at 512', ['x'.repeat(512)], ['x'.repeat(512)]],
    ['cut above 512', ['x'.repeat(513)], [`${'x'.repeat(511)}…`]],
    ['cut between characters', [`${'x'.repeat(510)}😀😀`], [`${'x'.repeat(510)}…`]],
    ['eight at most', '1 2 3 4 5 6 7 8 9'.split(' '), '1 2 3 4 5 6 7 8'.split(' ')],
  ])('no, with its causes: %s', (_, given, expected) => {
    const denied = { allowed: false, code: 429, reason: 'TooManyRequests', message: 'a' } as const;
    const answer = given === undefined ? denied : { ...denied, causes: given.map(cause) };
    const causes = expected?.map((message) => ({ reason: 'LastReplica', message }));
    expect(written(answer)).toHaveProperty('response.status', {
      status: 'Failure',
      code: 429,
      reason: 'TooManyRequests',
      message: 'a',
      ...(causes !== undefined && { details: { causes } }),
    });
  });

  test('a denial without a code, or with one that does not deny, cannot be written', () => {
    expectTypeOf<{ allowed: false; reason: string; message: string }>().not.toExtend<AdmissionAnswer>();
    expectTypeOf<{ allowed: false; code: 200; reason: string; message: string }>().not.toExtend<AdmissionAnswer>();
    expectTypeOf<{ allowed: false; code: 429; reason: string; message: string }>().toExtend<AdmissionAnswer>();
  });
});

describe('warnings arrive', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['none', [], []],
    ['as they are, also beyond ASCII', ['größer 日本'], ['größer 日本']],
    ['on one line', ['a\nb\r\n\tc'], ['a b c']],
    ['without control characters', ['a\u0000b\u0085c\u007Fd\u2028e'], ['a b c d e']],
    ['once', ['a', 'a\n'], ['a']],
    ['unless empty', ['', '\n'], []],
    ['whole at 250', ['x'.repeat(250)], ['x'.repeat(250)]],
    ['cut above 250', ['x'.repeat(251)], [`${'x'.repeat(249)}…`]],
    ['cut between characters', ['😀'.repeat(251)], [`${'😀'.repeat(249)}…`]],
    ['with a broken half of one replaced', ['a\uD83D'], ['a\uFFFD']],
  ])('%s', (_, given, expected) => {
    expect(presentableWarnings(given)).toEqual(expected);
  });

  const long = (count: number) => Array.from({ length: count }, (_, index) => `${index} `.padEnd(250, 'x'));
  test.each`
    given | kept  | notice
    ${16} | ${16} | ${undefined}
    ${17} | ${16} | ${'and 1 more warning'}
    ${30} | ${16} | ${'and 14 more warnings'}
  `('of $given x 250 characters $kept, then: $notice', ({ given, kept, notice }) => {
    const shown = presentableWarnings(long(given));
    expect(shown).toEqual([...long(kept), ...(notice === undefined ? [] : [notice])]);
  });

  property.prop([fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 60 })])(
    'whatever is given, the API server drops nothing of it',
    (given) => {
      const shown = presentableWarnings(given);
      for (const text of shown) {
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(Array.from(text).length).toBeLessThanOrEqual(250);
      }
      expect(shown.reduce((total, text) => total + Array.from(text).length, 0)).toBeLessThanOrEqual(4096);
    },
  );
});
