import type { AdmissionRequest } from '../../kube/admission-review.ts';

/** An eviction of storage-1 by jane, as the API server asks about it. */
export const givenReview = (given: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  uid: 'r1',
  operation: 'CREATE',
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subResource: 'eviction',
  name: 'storage-1',
  namespace: 'db',
  userInfo: { username: 'jane', uid: undefined, groups: [] },
  object: { metadata: { name: 'storage-1', namespace: 'db' } },
  oldObject: undefined,
  options: undefined,
  dryRun: false,
  ...given,
});
