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
  ['/evict-foreign', { allowed: false, code: 429 }],
])('what %s fails to answer is answered with %j', (path, expected) => {
  expect(routes.get(path)?.onError(givenReview(), new Error('no'))).toMatchObject(expected);
});
