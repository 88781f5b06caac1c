import { isTrue } from './known.ts';
import type { Quorum, Topology, Unit } from './topology.ts';

/** Something that cannot be: the path to it, and a sentence. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What an engine's answer says that cannot be true at once. Paths begin at the topology. */
export function contradictionsInTopology(topology: Topology): readonly Contradiction[] {
  const { processes, units, quorums } = topology;
  const known = new Set<string>(processes.map(({ id }) => id));
  const drained = new Set<string>(processes.filter((one) => isTrue(one.drained)).map(({ id }) => id));
  return [
    ...secondOnes(['processes'], processes, 'process'),
    ...secondOnes(['units'], units, 'unit'),
    ...secondOnes(['quorums'], quorums, 'quorum'),
    ...units.flatMap((unit, index) => inUnit(unit, ['units', index], known, drained)),
    ...quorums.flatMap((quorum, index) => inQuorum(quorum, ['quorums', index], known, drained)),
  ];
}

type Path = Contradiction['path'];

function inUnit(unit: Unit, path: Path, known: ReadonlySet<string>, drained: ReadonlySet<string>): Contradiction[] {
  const found = duplicates(
    [...path, 'replicas'],
    unit.replicas.map(({ process }) => process),
    `replica of ${unit.id} on`,
  );
  const leaders = unit.replicas.filter(({ leader }) => leader);
  const [first, second] = leaders;
  if (first !== undefined && second !== undefined)
    found.push({ path, message: `${unit.id} is led by ${first.process} and by ${second.process}` });
  unit.replicas.forEach(({ process, doomed, state }, replica) => {
    const at = [...path, 'replicas', replica, 'process'];
    if (!known.has(process))
      found.push({ path: at, message: `${unit.id} has a copy on ${process}, which is no process` });
    if (drained.has(process) && !doomed && state !== 'unused')
      found.push({ path: at, message: `${process} is drained, and has a copy of ${unit.id}` });
  });
  return found;
}

function inQuorum(
  quorum: Quorum,
  path: Path,
  known: ReadonlySet<string>,
  drained: ReadonlySet<string>,
): Contradiction[] {
  const { id, members, leader, needed } = quorum;
  const found = duplicates(
    [...path, 'members'],
    members.map(({ process }) => process),
    `member of ${id} on`,
  );
  members.forEach(({ process }, member) => {
    const at = [...path, 'members', member, 'process'];
    if (!known.has(process)) found.push({ path: at, message: `${id} has the member ${process}, which is no process` });
    if (drained.has(process)) found.push({ path: at, message: `${process} is drained, and a member of ${id}` });
  });
  if (leader !== null && leader !== 'unknown' && members.every(({ process }) => process !== leader))
    found.push({ path: [...path, 'leader'], message: `${id} is led by ${leader}, which is no member of it` });
  if (needed > members.length)
    found.push({ path: [...path, 'needed'], message: `${id} needs ${needed} members and has ${members.length}` });
  return found;
}

const secondOnes = (path: Path, items: readonly { readonly id: string }[], what: string): Contradiction[] =>
  duplicates(
    path,
    items.map(({ id }) => id),
    what,
  );

/** Every id that was there before. */
export function duplicates(path: Path, ids: readonly string[], what: string): Contradiction[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ path: [...path, index], message: `a second ${what} ${id}` }];
  });
}
