import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  givenGroup,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import type { StatusInput } from '../stateful-cluster/status.ts';
import { statusOf } from '../stateful-cluster/status.ts';
import { decided, givenCluster, givenStatus } from './given-cluster.ts';

export const ids = ['storage-1', 'storage-2', 'storage-3'];

/** Three storage process groups, all well. */
export const scene = (given: Partial<Snapshot> = {}): Snapshot =>
  givenSnapshot({
    spec: givenSpec({ roles: [givenRole('storage', { count: 3 })] }),
    processGroups: ids.map((id) => givenGroup(id)),
    topology: givenTopology({ processes: ids.map((id) => givenProcess(id)) }),
    nextGroupNumber: 4,
    ...given,
  });

/** The status that is written once the core has decided about a snapshot. */
export const written = (snapshot: Snapshot, given: Partial<StatusInput> = {}): StatefulClusterStatus =>
  statusOf(decided(snapshot, given));

/** Over this status, which was there before. */
export const over = (status: Partial<StatefulClusterStatus>): Pick<StatusInput, 'cluster'> => ({
  cluster: givenCluster({ status: givenStatus(status) }),
});
