import type { ProcessGroupId, ProcessId } from '../../model/ids.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Quorum, Replica, Topology, Unit } from '../../model/topology.ts';

/**
 * What is broken if these process groups leave at once, found by counting, with nothing of the rules in it. The rules are held against it:
 * whatever they let go together must break nothing.
 */
export function harmOf(snapshot: Snapshot, leaving: readonly ProcessGroupId[]): readonly string[] {
  if ('unreachable' in snapshot.topology) return [];
  const view = snapshot.topology;
  const before = new Set(stillGranted(snapshot).flatMap((group) => processesIn(view, group)));
  const after = new Set([...before, ...leaving.flatMap((group) => processesIn(view, group))]);
  const harm: string[] = [];
  for (const unit of view.units) {
    const had = unit.replicas.filter((copy) => isGood(copy, snapshot, view) && !before.has(copy.process));
    const lost = had.filter(({ process }) => after.has(process));
    if (had.length === 0 || lost.length < had.length || isPermitted(unit, lost, snapshot)) continue;
    harm.push(`${unit.name} has no healthy copy left`);
  }
  for (const quorum of view.quorums) {
    if (voices(quorum, before, snapshot, view) < quorum.needed) continue;
    if (voices(quorum, after, snapshot, view) < quorum.needed) harm.push(`${quorum.name} is broken`);
  }
  return harm;
}

/** Roles that keep nothing and may leave whenever they like. What they seem to hold counts for nothing. */
const dataless = new Set([
  'coordinator of arangodb',
  'image-id of arangodb',
  'syncmaster of arangodb',
  'syncworker of arangodb',
  'test of foundationdb',
  'stateless of foundationdb',
  'cluster_controller of foundationdb',
]);
const voiceless = new Set(['coordinator of arangodb', 'test of foundationdb']);

function processesIn(view: Topology, group: ProcessGroupId): readonly ProcessId[] {
  return view.processes.filter((process) => process.group === group).map(({ id }) => id);
}

function stillGranted({ grants, now, topology }: Snapshot): readonly ProcessGroupId[] {
  if ('unreachable' in topology) return [];
  const open = grants.filter(({ closedAt, goneAt }) => {
    if (goneAt !== null) return topology.observedAt <= goneAt;
    return closedAt === null || now - closedAt < 60_000;
  });
  return open.map(({ group }) => group);
}

function isGood(copy: Replica, snapshot: Snapshot, view: Topology): boolean {
  if (copy.doomed || copy.state !== 'healthy' || copy.inSync !== true) return false;
  return isUp(copy.process, snapshot, view) && !dataless.has(kindOf(copy.process, snapshot, view));
}

function isUp(id: ProcessId, snapshot: Snapshot, view: Topology): boolean {
  const [process, ...twins] = view.processes.filter((each) => each.id === id);
  if (process === undefined || twins.length > 0 || process.responds !== true) return false;
  if (process.group === null) return true;
  const group = snapshot.processGroups.find((each) => each.id === process.group);
  if (group === undefined || group.pod === null || group.removingAt !== null) return false;
  if (group.pod.deletingSince !== null || group.pod.phase !== 'Running') return false;
  if (snapshot.nodes === null) return true;
  const { node } = group.pod;
  return snapshot.nodes.some((each) => each.name === node && each.ready);
}

function kindOf(id: ProcessId, { processGroups, spec }: Snapshot, view: Topology): string {
  const process = view.processes.find((each) => each.id === id);
  const group = processGroups.find((each) => each.id === process?.group);
  return `${group?.role ?? process?.role} of ${spec.engine}`;
}

function isPermitted({ labels }: Unit, lost: readonly Replica[], { spec }: Snapshot): boolean {
  const own = spec.unitPolicies.find(({ matchLabels }) =>
    Object.keys(matchLabels).every((key) => matchLabels[key] === labels[key]),
  );
  const policy = own?.drainPolicy ?? spec.drainPolicy;
  if (policy === 'always-allow') return true;
  return policy === 'allow-if-replica-is-stopped' && lost.every(({ running }) => running === false);
}

function voices(quorum: Quorum, gone: ReadonlySet<ProcessId>, snapshot: Snapshot, view: Topology): number {
  const heard = quorum.members.filter(
    ({ process, responds, inSync }) =>
      responds === true &&
      inSync === true &&
      !gone.has(process) &&
      isUp(process, snapshot, view) &&
      !voiceless.has(kindOf(process, snapshot, view)),
  );
  return new Set(heard.map(({ process }) => process)).size;
}
