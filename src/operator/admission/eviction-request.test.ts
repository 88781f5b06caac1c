import { describe, expect, test } from 'vitest';
import type { AdmissionRequest } from '../../kube/admission-review.ts';
import { givenReview } from '../testing/given-review.ts';
import { evictionRequest } from './eviction-request.ts';

const read = { namespace: 'db', pod: 'storage-1', uid: undefined, by: 'jane', dryRun: false };
const withOptions = (deleteOptions: unknown) => ({ object: { metadata: { name: 'storage-1' }, deleteOptions } });

describe('an eviction is read', () => {
  test.each<[string, Partial<AdmissionRequest>, object]>([
    ['as it comes', {}, {}],
    ['without an object', { object: undefined }, {}],
    ['by the name in the object alone', { name: undefined }, {}],
    ['with the uid that it insists on', withOptions({ preconditions: { uid: 'u1' } }), { uid: 'u1' }],
    ['with an empty uid', withOptions({ preconditions: { uid: '' } }), {}],
    ['with a uid that is no text', withOptions({ preconditions: { uid: 7 } }), {}],
    ['with preconditions that are none', withOptions({ preconditions: 'u1' }), {}],
    ['with options that are none', withOptions(['All']), {}],
    ['with options of nothing', withOptions(null), {}],
    ['as a dry run of the request', { dryRun: true }, { dryRun: true }],
    ['as a dry run of its object, as kubectl has it', withOptions({ dryRun: ['All'] }), { dryRun: true }],
    ['with an empty list of dry runs', withOptions({ dryRun: [] }), {}],
    ['with a dry run that is no list', withOptions({ dryRun: 'All' }), {}],
    ['from an object that is a text', { object: 'storage-1' }, {}],
    ['from an object that is a list', { object: [1] }, {}],
    ['from somebody without a name', { userInfo: { username: '', uid: undefined, groups: [] } }, { by: '' }],
  ])('%s', (_, given, expected) => {
    expect(evictionRequest(givenReview(given))).toEqual({ ...read, ...expected });
  });

  test('with as much of a long name as a status holds, and never half a character', () => {
    const username = `${'a'.repeat(254)}😀${'b'.repeat(100)}`;
    const by = evictionRequest(givenReview({ userInfo: { username, uid: undefined, groups: [] } }))?.by ?? '';
    expect(by.length).toBeLessThanOrEqual(256);
    expect(by.isWellFormed()).toBe(true);
  });

  test.each<[string, Partial<AdmissionRequest>]>([
    ['of something else than a pod', { resource: { group: '', version: 'v1', resource: 'nodes' } }],
    ['of a pod itself', { subResource: undefined }],
    ['of another part of a pod', { subResource: 'binding' }],
    ['without a namespace', { namespace: undefined }],
    ['without any name', { name: undefined, object: { metadata: {} } }],
    ['with a name that is no text', { name: undefined, object: { metadata: { name: 1 } } }],
  ])('not where it is one %s', (_, given) => {
    expect(evictionRequest(givenReview(given))).toBeUndefined();
  });
});
