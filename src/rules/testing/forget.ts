import { unknown } from '../../model/known.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Topology } from '../../model/topology.ts';
import { isUnreachable } from '../../model/topology.ts';

/** Every snapshot that differs from this one in a single fact that is not known any more, and one with no engine at all. */
export function* forgetful(snapshot: Snapshot): Generator<Snapshot> {
  const view = snapshot.topology;
  if (isUnreachable(view)) return;
  yield { ...snapshot, topology: { unreachable: 'timed out', since: snapshot.now } };
  for (const topology of forgetfulViews(view)) yield { ...snapshot, topology };
}

function* forgetfulViews(view: Topology): Generator<Topology> {
  for (const processes of eachForgets(view.processes, ['responds', 'excluded', 'drained']))
    yield { ...view, processes };
  for (const units of eachForgets(view.units, ['attached'])) yield { ...view, units };
  for (const [index, unit] of view.units.entries()) {
    for (const replicas of eachForgets(unit.replicas, ['state', 'inSync', 'running'])) {
      yield { ...view, units: view.units.with(index, { ...unit, replicas }) };
    }
  }
  for (const quorums of eachForgets(view.quorums, ['leader'])) yield { ...view, quorums };
  for (const [index, quorum] of view.quorums.entries()) {
    for (const members of eachForgets(quorum.members, ['responds', 'inSync'])) {
      yield { ...view, quorums: view.quorums.with(index, { ...quorum, members }) };
    }
  }
  const { health } = view;
  const facts = Object.entries(health).filter(([, value]) => value !== null);
  for (const [fact] of facts) yield { ...view, health: { ...health, [fact]: unknown } };
}

/** The list once for each fact of each of its items, with that fact unknown. */
function* eachForgets<T>(items: readonly T[], facts: readonly (keyof T)[]): Generator<T[]> {
  for (const [index, item] of items.entries()) {
    for (const fact of facts) yield items.with(index, { ...item, [fact]: unknown });
  }
}
