import { fc } from '@fast-check/vitest';
import type { ProcessId, Zone } from '../ids.ts';
import { name } from '../ids.ts';
import { unknown } from '../known.ts';
import { instant, seconds } from '../time.ts';
import type { EngineHealth, Process, Quorum, Replica, Topology, Unit, Unreachable } from '../topology.ts';
import { setUpWaits } from '../topology.ts';
import { fact, mostly, upTo } from './arbitrary-values.ts';
import { at, givenProcess, givenReplica, givenUnit } from './given.ts';

interface TopologyOptions {
  readonly maxUnits?: number;
  readonly contradictions?: boolean;
  readonly unreachable?: boolean;
  readonly unknowns?: boolean;
}

/** What an engine could say of these process groups: most have one process, some two or none. */
export function arbitraryTopology(
  groups: readonly string[],
  options: TopologyOptions = {},
): fc.Arbitrary<Topology | Unreachable> {
  const { maxUnits = 3, contradictions = true, unreachable = true, unknowns = true } = options;
  const ids = [...groups, ...groups.slice(0, 1).map((group) => `${group}-b`)];
  const mentioned = contradictions ? [...ids, 'ghost'] : ids;
  const topology = fc
    .record({
      age: fc.constantFrom(0, 1, 4, 9, 10, 11, 60),
      processes: fc.tuple(...ids.map((id) => arbitraryProcess(id, unknowns))),
      missing: mostly(fc.constant(-1), fc.nat(ids.length - 1), 5),
      twice: mostly(fc.constant(-1), contradictions ? fc.nat(ids.length - 1) : fc.constant(-1), 15),
      units: fc.array(arbitraryUnit(mentioned, unknowns), { maxLength: maxUnits }),
      quorums: upTo(2, arbitraryQuorum(mentioned, unknowns)),
      health: arbitraryHealth(unknowns),
    })
    .map(
      ({ age, processes, missing, twice, units, quorums, health }): Topology => ({
        observedAt: at(-age),
        processes: withFaults(processes, missing, twice),
        units: units.map((unit, index) => ({ ...unit, id: name(`u${index + 1}`), name: `unit u${index + 1}` })),
        quorums: quorums.map((quorum, index) => ({
          ...quorum,
          id: name(`q${index + 1}`),
          name: `quorum q${index + 1}`,
        })),
        health,
      }),
    );
  if (!unreachable) return topology;
  const silent: Unreachable = { unreachable: 'connection refused', since: at(-60) };
  const neverUp = setUpWaits.map((setUpWaitsFor): Unreachable => ({ ...silent, setUpWaitsFor }));
  return mostly(topology, fc.constantFrom(silent, silent, silent, ...neverUp), 12);
}

/** One process is left out, and one is listed twice with different words. */
function withFaults(processes: readonly Process[], missing: number, twice: number): readonly Process[] {
  const listed = processes.filter((_, index) => index !== missing);
  const again = processes[twice];
  return again === undefined ? listed : [...listed, { ...again, responds: false }];
}

/** `storage-1-b` is the second process of `storage-1`. */
const arbitraryProcess = (id: string, unknowns: boolean): fc.Arbitrary<Process> => {
  const group = id.replace(/-b$/, '');
  return fc
    .record({
      group: mostly(fc.constant(group), fc.constantFrom(null, 'ghost-group'), 20),
      zone: mostly(fc.constantFrom('zone-1', 'zone-2', 'zone-3'), fc.constant(null), 12),
      responds: fact(true, unknowns),
      excluded: fact(false, unknowns),
      drained: fact(false, unknowns),
      startedAt: fc.constantFrom(at(-86_400), at(-30), null),
    })
    .map((given) => givenProcess(id, { role: group.replace(/-\d+$/, ''), ...given }));
};

const arbitraryReplica = (unknowns: boolean): fc.Arbitrary<Replica> =>
  fc
    .record({
      state: mostly(
        fc.constant('healthy'),
        unknowns
          ? fc.constantFrom('failed', 'rebuilding', 'unused', unknown)
          : fc.constantFrom('failed', 'rebuilding', 'unused'),
        3,
      ),
      inSync: fact(true, unknowns),
      running: fact(true, unknowns),
      movingAway: mostly(fc.constant(false), fc.constant(true), 8),
      doomed: mostly(fc.constant(false), fc.constant(true), 12),
    })
    .map((given) => givenReplica('any', given));

/** A unit on some of these processes; one of its copies leads, or none. */
export const arbitraryUnit = (processes: readonly string[], unknowns: boolean): fc.Arbitrary<Unit> =>
  fc
    .record({
      on: fc.subarray([...processes], { maxLength: Math.min(3, processes.length) }),
      copies: fc.tuple(arbitraryReplica(unknowns), arbitraryReplica(unknowns), arbitraryReplica(unknowns)),
      leader: fc.nat(3),
      tier: fc.constantFrom('gold', 'cache', ''),
      attached: fact(true, unknowns),
      writeConcern: mostly(fc.constant<number | null>(null), fc.constantFrom(1, 2, 3), 2),
      copying: mostly(
        fc.constant<Unit['copying']>(null),
        fc.constant({ percent: 62, bytes: 1024, secondsLeft: seconds(240) }),
        4,
      ),
      unplaceable: mostly(fc.constant<string | null>(null), fc.constant('insufficient storage'), 8),
    })
    .map(({ on, copies, leader, tier, ...given }) =>
      givenUnit(
        'u',
        on.map((process, index) => ({
          ...(copies[index] ?? givenReplica(process)),
          process: name<ProcessId>(process),
          leader: index === leader,
        })),
        { ...given, labels: tier === '' ? {} : { tier } },
      ),
    );

/** A quorum of some of these processes, by majority or by an odd figure. */
export const arbitraryQuorum = (processes: readonly string[], unknowns: boolean): fc.Arbitrary<Quorum> =>
  fc
    .record({
      members: fc.subarray([...processes], { minLength: 1 }),
      responds: fc.array(fact(true, unknowns), { minLength: processes.length, maxLength: processes.length }),
      inSync: fc.array(fact(true, unknowns), { minLength: processes.length, maxLength: processes.length }),
      leader: mostly(fc.nat(2), fc.constantFrom(-1, -2), 4),
      more: mostly(fc.constant(0), fc.constantFrom(-1, 1), 6),
      membersMove: mostly(fc.constant(false), fc.constant(true), 3),
    })
    .map(
      ({ members, responds, inSync, leader, more, membersMove }): Quorum => ({
        id: name('q'),
        name: 'quorum q',
        members: members.map((process, index) => ({
          process: name(process),
          responds: responds[index] ?? true,
          inSync: inSync[index] ?? true,
        })),
        leader: leader === -2 && unknowns ? unknown : leader < 0 ? null : name(members[leader % members.length] ?? ''),
        needed: Math.floor(members.length / 2) + 1 + more,
        membersMove,
      }),
    );

const arbitraryHealth = (unknowns: boolean): fc.Arbitrary<EngineHealth> => {
  const orUnknown = <T>(value: fc.Arbitrary<T>) => (unknowns ? mostly(value, fc.constant(unknown), 8) : value);
  const zone = fc.constantFrom('zone-1', 'zone-2').map((text) => name<Zone>(text));
  return fc.record<EngineHealth>({
    available: fact(true, unknowns),
    fullyReplicated: fact(true, unknowns),
    toleranceLacks: mostly(
      orUnknown(mostly(fc.constant([]), fc.constant(['its logs bear the loss of 0 zones, not of 1']), 4)),
      fc.constant(null),
      4,
    ),
    zonesThatMayFail: mostly(orUnknown(fc.constantFrom(1, 0, 2)), fc.constant(null), 4),
    zonesForCopies: mostly(orUnknown(fc.constantFrom(1, 2, 3)), fc.constant(null), 4),
    secondsSinceRecovery: mostly(
      orUnknown(fc.constantFrom(86_400, 0, 60, 119, 120, 121, 599, 600).map(seconds)),
      fc.constant(null),
      4,
    ),
    activeGenerations: mostly(orUnknown(mostly(fc.constant(1), fc.constantFrom(2, 10, 11), 4)), fc.constant(null), 4),
    maintenance: mostly(
      orUnknown(fc.constant('off' as const)),
      fc.record({ zone, until: fc.constantFrom(-1, 0, 300).map((age) => instant(at(age))) }),
      4,
    ),
    caughtUp: mostly(fact(true, unknowns), fc.constant(null), 6),
  });
};
