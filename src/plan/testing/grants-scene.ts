import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Action } from '../../model/decision.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Ask, Grant, Snapshot } from '../../model/snapshot.ts';
import {
  givenAsk,
  givenGroup,
  givenHealth,
  givenProcess,
  givenQuorum,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import type { Topology } from '../../model/topology.ts';
import { surveyOf } from '../../rules/survey.ts';
import { grants } from '../grants.ts';
import { told } from './told.ts';
export interface World {
  readonly groups?: readonly ProcessGroup[];
  readonly asks?: readonly Ask[];
  readonly grants?: readonly Grant[];
  readonly spec?: Partial<ClusterSpec>;
  readonly topology?: Partial<Topology>;
  readonly snapshot?: Partial<Snapshot>;
  readonly taken?: readonly Action[];
}

export const ids = ['member-1', 'member-2', 'member-3', 'member-4', 'member-5'];

/** Five members of etcd, of which the last leads; two may go. */
export function world({
  groups,
  asks = [givenAsk('member-1')],
  grants: given = [],
  spec,
  topology,
  snapshot,
}: World): Snapshot {
  const rows = groups ?? ids.map((id) => givenGroup(id));
  return givenSnapshot({
    spec: givenSpec({ engine: 'etcd', roles: [givenRole('member', { count: 5 })], ...spec }),
    processGroups: rows,
    asks,
    grants: given,
    topology: givenTopology({
      processes: rows.map(({ id }) => givenProcess(id)),
      quorums: [givenQuorum('q', ids.toReversed())],
      health: givenHealth({ zonesThatMayFail: null }),
      ...topology,
    }),
    ...snapshot,
  });
}
export const step = (given: World = {}) => grants(surveyOf(world(given)), given.taken);
export const said = (given: World = {}) => told(step(given));

export const letsGo = (id: string, code = 'RuleHolds') => [
  `record granted ${id} uid-${id} on node-of-${id} at 0 (${code})`,
  `let-go ${id} uid-${id}@1 (${code})`,
];
export const holds = (id: string, code: string) => `grants holds ${id}: ${code}`;
