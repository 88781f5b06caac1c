import type { Snapshot } from './snapshot.ts';
import type { Instant } from './time.ts';
import type { Topology } from './topology.ts';
import { isUnreachable } from './topology.ts';
import type { Contradiction } from './topology-contradictions.ts';
import { contradictionsInTopology, duplicates } from './topology-contradictions.ts';

/**
 * What a snapshot says that cannot be true at once. The rules stay safe with it (what is not known to protect does not protect), but whoever
 * wrote the snapshot wants to know.
 */
export function contradictionsIn(snapshot: Snapshot): readonly Contradiction[] {
  const { processGroups, topology } = snapshot;
  return [
    ...duplicates(
      ['processGroups'],
      processGroups.map(({ id }) => id),
      'process group',
    ),
    ...duplicates(
      ['nodes'],
      (snapshot.nodes ?? []).map(({ name }) => name),
      'node',
    ),
    ...(isUnreachable(topology) ? [] : inTopology(topology, snapshot)),
    ...unknownGroups(snapshot),
    ...fromTheFuture(snapshot),
  ];
}

function inTopology(topology: Topology, { processGroups }: Snapshot): Contradiction[] {
  const groups = new Set<string>(processGroups.map(({ id }) => id));
  const strangers = topology.processes.flatMap(({ id, group }, index) =>
    group === null || groups.has(group)
      ? []
      : [
          {
            path: ['processes', index, 'group'],
            message: `process ${id} runs in ${group}, which is no process group; null if it runs in none`,
          },
        ],
  );
  return [...contradictionsInTopology(topology), ...strangers].map(({ path, message }) => ({
    path: ['topology', ...path],
    message,
  }));
}

function unknownGroups({ processGroups, asks, grants }: Snapshot): Contradiction[] {
  const groups = new Set<string>(processGroups.map(({ id }) => id));
  return asks
    .flatMap(({ group }, index) =>
      groups.has(group)
        ? []
        : [{ path: ['asks', index, 'group'], message: `${group} is asked to go, and is no process group` }],
    )
    .concat(
      // A grant may outlive its group: the pod is gone and so is the row.
      grants.flatMap(({ group, goneAt }, index) =>
        groups.has(group) || goneAt !== null
          ? []
          : [{ path: ['grants', index, 'group'], message: `${group} was let go, and is no process group` }],
      ),
    );
}

type Moment = readonly [path: readonly (string | number)[], moment: Instant | null];

/** Recorded moments lie in the past. A clock that jumped back shows here. */
function fromTheFuture(snapshot: Snapshot): Contradiction[] {
  const { now, processGroups, topology, asks, grants, jobs, nodes, maintenance, lastRemovalAt } = snapshot;
  const moments: Moment[] = [
    [['lastRemovalAt'], lastRemovalAt],
    [['maintenance', 'since'], maintenance?.since ?? null],
    isUnreachable(topology)
      ? [['topology', 'since'], topology.since]
      : [['topology', 'observedAt'], topology.observedAt],
    ...momentsOf('asks', asks, ['since', 'lastSeen']),
    ...momentsOf('grants', grants, ['grantedAt', 'closedAt', 'goneAt']),
    ...momentsOf('jobs', jobs, ['since']),
    ...momentsOf('nodes', nodes ?? [], ['cordonedSince']),
    ...momentsOf('processGroups', processGroups, ['evacuationAt', 'drainedAt', 'removingAt']),
    ...processGroups.flatMap(({ removal, pod, conditions, taints }, index): Moment[] => {
      const path = ['processGroups', index];
      return [
        [[...path, 'removal', 'at'], removal?.at ?? null],
        [[...path, 'pod', 'createdAt'], pod?.createdAt ?? null],
        [[...path, 'pod', 'deletingSince'], pod?.deletingSince ?? null],
        ...conditions.map(({ since }, condition): Moment => [[...path, 'conditions', condition, 'since'], since]),
        ...taints.map(({ since }, taint): Moment => [[...path, 'taints', taint, 'since'], since]),
      ];
    }),
  ];
  return moments.flatMap(([path, moment]) =>
    moment !== null && moment > now ? [{ path, message: 'lies in the future of now' }] : [],
  );
}

function momentsOf<Field extends string>(
  list: string,
  items: readonly { readonly [field in Field]: Instant | null }[],
  fields: readonly Field[],
): Moment[] {
  return items.flatMap((item, index) => fields.map((field): Moment => [[list, index, field], item[field]]));
}
