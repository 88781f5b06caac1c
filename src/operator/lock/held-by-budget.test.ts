import { describe, expect, test } from 'vitest';
import type { ApiStatus } from '../../kube/errors.ts';
import { KubeApiError } from '../../kube/errors.ts';
import type { Action } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { givenJob } from '../../model/testing/given-job.ts';
import { refusedJob, withoutLifted } from './held-by-budget.ts';
import type { LockState } from './lock-state.ts';
import { locked } from './lock-state.ts';

const turn = (act: 'let-go' | 'close'): Action => ({
  act,
  group: name('storage-1'),
  pod: { uid: name('u1'), resourceVersion: '1' },
  reason: reasons.ruleHolds({ group: 'storage-1', by: 'upgrade' }),
});
const answer = (status: number, said: ApiStatus) =>
  new KubeApiError({ method: 'POST', path: '/api/v1/namespaces/db/pods/orders-storage-1/eviction' }, status, said);

const words = 'The disruption budget chart needs 3 healthy pods and has 3 currently';
const byBudget = answer(429, {
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: { causes: [{ reason: 'DisruptionBudget', message: words }] },
});
const several = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

describe('an eviction of Drover’s own that a budget held is noted, in the server’s words', () => {
  test.each<[string, Action, unknown, string | undefined]>([
    ['by a budget', turn('let-go'), byBudget, words],
    ['by several', turn('let-go'), answer(500, { message: several }), several],
    ['by a server that is busy', turn('let-go'), answer(429, { message: 'too many requests' }), undefined],
    ['by a server that fails', turn('let-go'), answer(500, { message: 'etcd' }), undefined],
    ['by no answer', turn('let-go'), new Error('gone'), undefined],
    ['where it is locked again', turn('close'), byBudget, undefined],
  ])('%s', (_, action, error, message) => {
    expect(refusedJob(action, error, [], at(0))?.message).toBe(message);
  });

  test('to be tried again two minutes later, and counted', () => {
    const before = [
      givenJob('storage-1', { verb: 'Create', attempts: 9 }),
      givenJob('storage-2', { verb: 'Evict', attempts: 7 }),
      givenJob('storage-1', { verb: 'Evict', attempts: 3 }),
    ];
    expect(refusedJob(turn('let-go'), byBudget, before, at(5))).toMatchObject({
      verb: 'Evict',
      group: 'storage-1',
      state: 'Failed',
      since: at(5),
      retryAt: at(125),
      attempts: 4,
    });
    expect(refusedJob(turn('let-go'), byBudget, [], at(5))).toMatchObject({ attempts: 1 });
  });

  test.each<[string, LockState, readonly string[]]>([
    ['such a budget is there', { is: 'foreign', budgets: ['db/chart'] }, ['Evict', 'Forget']],
    ['none is', locked, ['Forget']],
    ['it may have been the lock of another guard', { is: 'overlapping', owners: ['db/other'] }, ['Evict', 'Forget']],
    ['it is not known what there is', { is: 'missing', why: 'refused', budgets: [] }, ['Evict', 'Forget']],
  ])('and is remembered as long as %s: %j', (_, lock, left) => {
    const told = [givenJob('storage-1', { verb: 'Evict' }), givenJob('storage-1', { verb: 'Forget' })];
    expect(withoutLifted(told, lock).map(({ verb }) => verb)).toEqual(left);
  });
});
