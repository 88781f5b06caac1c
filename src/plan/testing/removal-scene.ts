import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenHealth,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import type { EngineHealth, Topology } from '../../model/topology.ts';
import { surveyOf } from '../../rules/survey.ts';
import { remove } from '../remove.ts';
import { told } from './told.ts';
/** Marked process groups and an engine that is well, for tests about their removal. */

export const marked = { removal: { at: at(-600), cause: 'Requested', withoutExclusion: false } } as const;
export const drained = { ...marked, evacuationAt: at(-300), drainedAt: at(-60) } as const;
export const undrained = { removal: { ...marked.removal, withoutExclusion: true } } as const;
export const removing = { ...drained, removingAt: at(-30) } as const;

export interface World {
  readonly groups: readonly ProcessGroup[];
  readonly spec?: Partial<ClusterSpec>;
  readonly health?: Partial<EngineHealth>;
  readonly topology?: Partial<Topology>;
  readonly snapshot?: Partial<Snapshot>;
}

export const step = ({ groups, spec, health, topology, snapshot }: World) =>
  remove(
    surveyOf(
      givenSnapshot({
        spec: givenSpec({ roles: [givenRole('storage', { count: 3 })], ...spec }),
        processGroups: groups,
        topology: givenTopology({
          processes: groups.map(({ id, drainedAt }) =>
            givenProcess(id, drainedAt === null ? {} : { excluded: true, drained: true }),
          ),
          health: givenHealth(health),
          ...topology,
        }),
        ...snapshot,
      }),
    ),
  );
export const said = (given: World) => told(step(given));

export const removes = (id: string, because = 'Removed') => [
  `record removing ${id} (${because})`,
  `delete-group ${id} uid-${id}@1 (${because})`,
];
export const holds = (id: string, code: string) => `remove holds ${id}: ${code}`;
