import { expect, test } from 'vitest';
import { millis, minutes } from '../../kube/clock.ts';
import { ConnectionLost, KubeApiError, RequestTimeout } from '../../kube/errors.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { ProcessGroupId, Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { at, givenPod } from '../../model/testing/given.ts';
import { OwnDeletes } from './own-deletes.ts';

const request = { method: 'DELETE', path: '/api/v1/namespaces/db/pods/log-1' };
const refused = (status: number) => new KubeApiError(request, status, {});
const group = name<ProcessGroupId>('log-1');
const pod = givenPod('log-1');

/** What the next look takes the pod for that was just deleted, and how much later. */
async function nextLook(answer: Error | undefined, later = 0, seen: typeof pod | null = pod) {
  const clock = new VirtualClock();
  const deletes = new OwnDeletes(clock);
  const work = answer === undefined ? Promise.resolve() : Promise.reject(answer);
  const outcome = deletes.keep('db/orders', group, { uid: pod.uid, at: at(5) }, work);
  if (answer === undefined) await outcome;
  else await expect(outcome, 'whoever asked hears of it').rejects.toBe(answer);
  await clock.pass(millis(later));
  return { deletes, seen: deletes.seen('db/orders', group, seen) };
}

const { uid } = pod;
const going = { ...pod, deletingSince: at(5) };

test.each<[string, Error | undefined, number, unknown]>([
  ['was deleted', undefined, 0, going],
  ['was deleted, and the watch is an hour behind', undefined, minutes(60), going],
  ['was not there any more', refused(404), 0, going],
  ['may have been deleted: no answer', new RequestTimeout(request, millis(1)), 0, going],
  ['may have been deleted: half an answer', new ConnectionLost('cut', { sent: true }), 0, going],
  ['may have been deleted: the server failed', refused(500), 0, going],
  ['may have been deleted, almost five minutes ago', refused(500), minutes(5) - 1, going],
  ['may have been deleted, five minutes ago', refused(500), minutes(5), pod],
  ['was not deleted: it is another one by now', refused(409), 0, pod],
  ['was not deleted: that is forbidden', refused(403), 0, pod],
  ['was not deleted: it was never asked', new ConnectionLost('refused', { sent: false }), 0, pod],
])('a pod that %s', async (_, answer, later, expected) => {
  expect((await nextLook(answer, later)).seen).toEqual(expected);
});

test.each<[string, typeof pod | null]>([
  ['gone', null],
  ['another one', { ...pod, uid: name<Uid>('other') }],
  ['on its way by the API server’s own clock', { ...pod, deletingSince: at(4) }],
])('what the watch has told counts once it is %s', async (_, seen) => {
  const { deletes, seen: now } = await nextLook(undefined, 0, seen);
  expect(now).toEqual(seen);
  expect(deletes.seen('db/orders', group, { ...pod, uid }), 'and nothing is kept').toEqual(pod);
});

test('each process group of each cluster by itself, until its cluster is left', async () => {
  const { deletes } = await nextLook(undefined);
  expect(deletes.seen('db/orders', name('log-2'), pod)).toEqual(pod);
  expect(deletes.seen('db/ledger', group, pod)).toEqual(pod);
  expect(deletes.seen('db/orders', group, pod)).toEqual(going);
  deletes.leave('db/orders');
  expect(deletes.seen('db/orders', group, pod)).toEqual(pod);
});
