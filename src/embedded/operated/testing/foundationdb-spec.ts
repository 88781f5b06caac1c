import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';

/** Where the cluster of the tests is. */
export const key = 'db/orders';
const template = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63' }] } };
const volumeClaimTemplate = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'local',
  resources: { requests: { storage: '10Gi' } },
};
/** Five storage servers, four logs and three stateless processes, each on disks of its node. */
export const foundationdb: StatefulClusterSpecInput = {
  engine: { type: 'foundationdb', version: '7.3.63' },
  roles: [
    { name: 'storage', count: 5, template, volumeClaimTemplate },
    { name: 'log', count: 4, template, volumeClaimTemplate },
    { name: 'stateless', count: 3, template },
  ],
};
