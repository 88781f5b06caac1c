import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { statefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { statefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { decide } from '../../decide.ts';
import { keyText } from '../../kube/object.ts';
import type { Ask, Snapshot } from '../../model/snapshot.ts';
import { applyRecords } from '../../plan/apply-records.ts';
import { locked } from '../lock/lock-state.ts';
import type { Cluster } from '../stateful-cluster/cluster.ts';
import type { StatusInput } from '../stateful-cluster/status.ts';

/** The status of a cluster that nobody has looked at yet. */
export const emptyStatus: StatefulClusterStatus = statefulClusterStatus.parse({});

export const givenStatus = (given: Partial<StatefulClusterStatus> = {}): StatefulClusterStatus => ({
  ...emptyStatus,
  ...given,
});

/** `db/orders`, an etcd of three unless told otherwise. */
export const givenCluster = (
  given: Partial<Omit<Cluster, 'spec'>> & { readonly spec?: Partial<StatefulClusterSpecInput> } = {},
): Cluster => ({
  key: keyText({ namespace: 'db', name: 'orders' }),
  namespace: 'db',
  name: 'orders',
  uid: 'uid-orders',
  generation: 2,
  resourceVersion: '7',
  status: emptyStatus,
  ...given,
  spec: statefulClusterSpec.parse({
    engine: { type: 'etcd' },
    roles: [{ name: 'member', count: 3 }],
    ...given.spec,
  }),
});

const podNameOf = ({ processGroups }: Snapshot, ask: Pick<Ask, 'pod' | 'group'>): string =>
  processGroups.find(({ pod }) => pod?.uid === ask.pod)?.pod?.name ?? ask.group;

/** What there is to write once the core has decided about a snapshot. */
export function decided(snapshot: Snapshot, given: Partial<StatusInput> = {}): StatusInput {
  const decision = decide(snapshot);
  return {
    cluster: givenCluster(),
    after: applyRecords(snapshot, decision.records),
    decision,
    jobs: [],
    asks: snapshot.asks.map(({ wants, ...ask }) => ({
      ...ask,
      name: podNameOf(snapshot, ask),
      times: wants === 'Node' ? 0 : 1,
      cordoned: false,
      letGoAt: null,
    })),
    lock: locked,
    reservations: [],
    bootstrappedAt: snapshot.now,
    ...given,
  };
}
