import { expect, test } from 'vitest';
import type { AdmissionRequest } from '../../kube/admission-review.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { Desk } from '../lock/desk.ts';
import { admissionRoutes } from './routes.ts';

const clock = new VirtualClock();
const routes = admissionRoutes(new Desk(clock), clock);
const request: AdmissionRequest = {
  uid: 'r1',
  operation: 'CREATE',
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subResource: 'eviction',
  name: 'storage-1',
  namespace: 'db',
  userInfo: { username: 'jane', uid: undefined, groups: [] },
  object: {},
  oldObject: undefined,
  options: undefined,
  dryRun: false,
};

test.each<[string, object]>([
  // The lock decides.
  ['/evict', { allowed: true }],
  // No lock is behind it.
  ['/evict-foreign', { allowed: false, code: 429 }],
])('what %s fails to answer is answered with %j', (path, expected) => {
  expect(routes.get(path)?.onError(request, new Error('no'))).toMatchObject(expected);
});
