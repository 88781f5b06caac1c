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
