import type { Snapshot } from './snapshot.ts';
import type { Instant } from './time.ts';
import type { Topology } from './topology.ts';
import { isUnreachable } from './topology.ts';

/** Something that cannot be: the path from the top of the snapshot, and a sentence. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

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
  const processes = new Set<string>(topology.processes.map(({ id }) => id));
  const found = duplicates(
    ['topology', 'processes'],
    topology.processes.map(({ id }) => id),
    'process',
  );
  topology.processes.forEach(({ id, group }, index) => {
    if (group === null || groups.has(group)) return;
    found.push({
      path: ['topology', 'processes', index, 'group'],
      message: `process ${id} runs in ${group}, which is no process group; null if it runs in none`,
    });
  });
  topology.units.forEach((unit, index) => {
    const path = ['topology', 'units', index, 'replicas'];
    found.push(
      ...duplicates(
        path,
        unit.replicas.map(({ process }) => process),
        `replica of ${unit.id} on`,
      ),
    );
    unit.replicas.forEach(({ process }, replica) => {
      if (!processes.has(process))
        found.push({
          path: [...path, replica, 'process'],
          message: `${unit.id} has a copy on ${process}, which is no process`,
        });
    });
  });
  topology.quorums.forEach((quorum, index) => {
    quorum.members.forEach(({ process }, member) => {
      if (!processes.has(process))
        found.push({
          path: ['topology', 'quorums', index, 'members', member, 'process'],
          message: `${quorum.id} has the member ${process}, which is no process`,
        });
    });
    if (quorum.needed > quorum.members.length)
      found.push({
        path: ['topology', 'quorums', index, 'needed'],
        message: `${quorum.id} needs ${quorum.needed} members and has ${quorum.members.length}`,
      });
  });
  return found;
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

/** Recorded moments lie in the past. A clock that jumped back shows here. */
function fromTheFuture({ now, processGroups, topology, asks, grants, lastRemovalAt }: Snapshot): Contradiction[] {
  const moments: (readonly [readonly (string | number)[], Instant | null])[] = [
    [['lastRemovalAt'], lastRemovalAt],
    [
      isUnreachable(topology) ? ['topology', 'since'] : ['topology', 'observedAt'],
      isUnreachable(topology) ? topology.since : topology.observedAt,
    ],
    ...asks.map(({ since }, index) => [['asks', index, 'since'], since] as const),
    ...grants.map(({ grantedAt }, index) => [['grants', index, 'grantedAt'], grantedAt] as const),
    ...processGroups.flatMap((group, index) => [
      [['processGroups', index, 'removal', 'at'], group.removal?.at ?? null] as const,
      [['processGroups', index, 'drainedAt'], group.drainedAt] as const,
      [['processGroups', index, 'removingAt'], group.removingAt] as const,
      ...group.conditions.map(
        ({ since }, condition) => [['processGroups', index, 'conditions', condition, 'since'], since] as const,
      ),
    ]),
  ];
  return moments.flatMap(([path, moment]) =>
    moment !== null && moment > now ? [{ path, message: 'lies in the future of now' }] : [],
  );
}

function duplicates(path: readonly (string | number)[], ids: readonly string[], what: string): Contradiction[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ path: [...path, index], message: `a second ${what} ${id}` }];
  });
}
