import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import { foundationdb } from './foundationdb-spec.ts';

/** The roles of the tests on volumes that go with their pods: a drain hands nothing over and waits for no data. */
export const onNetworkVolumes: StatefulClusterSpecInput['roles'] = foundationdb.roles.map(
  ({ volumeClaimTemplate, ...role }) =>
    volumeClaimTemplate === undefined
      ? role
      : {
          ...role,
          volumeClaimTemplate: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
        },
);
