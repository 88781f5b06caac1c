import { expect, test } from 'vitest';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { Desk } from '../lock/desk.ts';
import { givenReview } from '../testing/given-review.ts';
import { admissionRoutes } from './routes.ts';

const clock = new VirtualClock();
const routes = admissionRoutes(new Desk(clock), clock);

test.each<[string, object]>([
  // The lock decides.
  ['/evict', { allowed: true }],
  // No lock is behind it.
  [
    '/evict-foreign',
    { allowed: false, code: 429, message: 'drover: storage-1 stays: Drover failed to answer; its log says why' },
  ],
])('what %s fails to answer is answered with %j', (path, expected) => {
  expect(routes.get(path)?.onError(givenReview(), new Error('no'))).toMatchObject(expected);
});

test.each(['/evict', '/evict-foreign'])('what %s has no answer to in time stays, and that is said', (path) => {
  expect(routes.get(path)?.onTimeout(givenReview())).toMatchObject({
    allowed: false,
    code: 429,
    message: 'drover: storage-1 stays: Drover had no answer in time and goes on with it; ask again in a few seconds',
  });
});
