import type { ProcessGroup } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenGroup,
  givenHealth,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import type { EngineHealth, Process, Quorum } from '../../model/topology.ts';
import { surveyOf } from '../../rules/survey.ts';
import { evacuate } from '../evacuate.ts';
import { told } from './told.ts';
export const marked = { removal: { at: at(-600), cause: 'Requested', withoutExclusion: false } } as const;
export const missingSince = (since: number) => ({
  conditions: [{ type: 'MissingProcesses', since: at(since) } as const],
});

export interface World {
  readonly groups?: readonly ProcessGroup[];
  readonly processes?: readonly Process[];
  readonly health?: Partial<EngineHealth>;
  readonly quorums?: readonly Quorum[];
  readonly count?: number;
  readonly snapshot?: Partial<Snapshot>;
}

/** Three storage groups where two are wanted: storage-1 is marked and its successor is up. */
export function world({ groups, processes, health, quorums, count = 2, snapshot }: World = {}): Snapshot {
  const rows = groups ?? [givenGroup('storage-1', marked), givenGroup('storage-2'), givenGroup('storage-3')];
  return givenSnapshot({
    spec: givenSpec({ roles: [givenRole('storage', { count }), givenRole('log', { count })], ...snapshot?.spec }),
    processGroups: rows,
    topology: givenTopology({
      processes: processes ?? rows.map(({ id }) => givenProcess(id)),
      health: givenHealth(health),
      quorums: quorums ?? [],
    }),
    ...snapshot,
  });
}

export const said = (given: World = {}) => told(evacuate(surveyOf(world(given))));

export const begins = ['record evacuating storage-1 (Leaving)', 'evacuate storage-1 [storage-1] [] (Leaving)'];
