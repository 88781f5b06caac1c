import { statefulCluster } from '../../api/kinds.ts';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Cluster } from '../stateful-cluster/cluster.ts';
import type { Role } from '../stateful-cluster/pod-template.ts';

type RoleInput = StatefulClusterSpecInput['roles'][number];

export const group: ProcessGroupId = name('storage-7');

/** A FoundationDB `db/orders` with one storage role, and that role, as the API server would give them back. */
export function someCluster({
  spec = {},
  role = {},
  status = {},
}: {
  readonly spec?: Partial<StatefulClusterSpecInput>;
  readonly role?: Partial<RoleInput>;
  readonly status?: object;
} = {}): { readonly cluster: Cluster; readonly role: Role } {
  const template = { spec: { containers: [{ name: 'database', image: 'database:1' }] } };
  const engine = { type: 'foundationdb', version: '7.3.63' } as const;
  const roles = [{ name: 'storage', count: 3, template, ...role }];
  const parsed = statefulCluster.spec.parse({ engine, roles, ...spec });
  const [first] = parsed.roles;
  if (first === undefined) throw new Error('the cluster has no role');
  const cluster = {
    key: 'db/orders',
    namespace: 'db',
    name: 'orders',
    uid: '0b1f7c8e-7d0e-4f4b-9a86-1d5b0c6b8a11',
    generation: 1,
    resourceVersion: '1',
    spec: parsed,
    status: statefulCluster.status.parse(status),
  };
  return { cluster, role: first };
}
