import type { Snapshot } from '../../src/model/snapshot.ts';
import {
  givenAsk,
  givenGroup,
  givenNode,
  givenPod,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../../src/model/testing/given.ts';

/** A healthy ArangoDB-shaped cluster with everything in threes, and two nodes that someone drains. */
export function largeSnapshot(groups: number, nodes: number, units: number): Snapshot {
  const ids = Array.from({ length: groups }, (_, index) => `dbserver-${index + 1}`);
  const nodeOf = (index: number) => `n${index % nodes}`;
  const zoneOf = (index: number) => `zone-${index % 3}`;
  return givenSnapshot({
    spec: givenSpec({
      engine: 'arangodb',
      podUpdateStrategy: 'Delete',
      roles: [givenRole('dbserver', { count: groups })],
    }),
    nodes: Array.from({ length: nodes }, (_, index) => givenNode(nodeOf(index), { cordoned: index < 2 })),
    processGroups: ids.map((id, index) =>
      givenGroup(id, { zone: zoneOf(index), pod: givenPod(id, { node: nodeOf(index) }) }),
    ),
    asks: ids.flatMap((id, index) => (index % nodes < 2 ? [givenAsk(id, { node: nodeOf(index) })] : [])),
    nextGroupNumber: groups + 1,
    topology: givenTopology({
      processes: ids.map((id, index) => givenProcess(id, { zone: zoneOf(index) })),
      units: Array.from({ length: units }, (_, index) =>
        givenUnit(
          `s${index}`,
          [0, 1, 2].map((copy) => ids[(index + copy) % groups] ?? ''),
          { writeConcern: 2 },
        ),
      ),
    }),
  });
}
