import { fc } from '@fast-check/vitest';
import type { Pod, ProcessGroup, Removal } from '../process-group.ts';
import { conditionTypes } from '../process-group.ts';
import type { Instant } from '../time.ts';
import { anyMoment, mostly, pastMoment, upTo } from './arbitrary-values.ts';
import { givenClaim, givenGroup, givenPod, givenShape } from './given.ts';

/** How far a process group is on its way. */
interface Life {
  readonly removal: Removal | null;
  readonly evacuationAt: Instant | null;
  readonly drainedAt: Instant | null;
  readonly removingAt: Instant | null;
}

const active: Life = { removal: null, evacuationAt: null, drainedAt: null, removingAt: null };

/** Active, marked, evacuating, drained, removing; and asked to hand its data over without being marked. */
const arbitraryLife: fc.Arbitrary<Life> = mostly(
  fc.constant(active),
  fc
    .record({
      stage: fc.nat(4),
      at: pastMoment,
      cause: fc.constantFrom(
        'Requested' as const,
        'Failed' as const,
        'Tainted' as const,
        'Misconfigured' as const,
        'Shrink' as const,
        'Evicted' as const,
      ),
      withoutExclusion: mostly(fc.constant(false), fc.constant(true), 4),
    })
    .map(({ stage, at, ...removal }) => ({
      removal: stage === 4 ? null : { at, ...removal },
      evacuationAt: stage >= 1 ? at : null,
      drainedAt: stage === 2 || stage === 3 ? at : null,
      removingAt: stage === 3 ? at : null,
    })),
  3,
);

/** Any process group of this id: its role is what stands before the number. */
export function arbitraryGroup(
  id: string,
  nodes: readonly string[],
  { contradictions }: { readonly contradictions: boolean },
): fc.Arbitrary<ProcessGroup> {
  const when = contradictions ? anyMoment : pastMoment;
  return fc
    .record({
      life: arbitraryLife,
      conditions: mostly(
        fc.constant([]),
        fc.uniqueArray(fc.record({ type: fc.constantFrom(...conditionTypes), since: when }), {
          maxLength: 3,
          selector: ({ type }) => type,
        }),
        2,
      ),
      zone: mostly(fc.constantFrom('zone-1', 'zone-2', 'zone-3'), fc.constant(null), 10),
      addresses: mostly(fc.constant([`10.0.0.${id.replace(/\D/g, '')}`]), fc.constant([]), 8),
      taints: upTo(1, fc.record({ key: fc.constant('example.com/maintenance'), since: when })),
      pod: mostly(arbitraryPod(id, nodes, when), fc.constant(null), 8),
      claim: mostly(
        fc.record({ travels: fc.boolean() }).map(givenClaim),
        fc.constantFrom('none' as const, null, givenClaim({ deleting: true })),
        4,
      ),
      service: mostly(
        fc.constant('none' as const),
        fc.constantFrom('present' as const, 'terminating' as const, null),
        4,
      ),
    })
    .map(({ life, ...given }) => givenGroup(id, { ...life, ...given }));
}

const arbitraryPod = (id: string, nodes: readonly string[], when: fc.Arbitrary<Instant>): fc.Arbitrary<Pod> =>
  fc
    .record({
      node: mostly(fc.constantFrom(...nodes), fc.constantFrom(null, 'n-unknown'), 12),
      phase: mostly(fc.constant('Running'), fc.constantFrom('Pending', 'Failed', 'Unknown', 'Succeeded'), 8),
      ready: mostly(fc.constant(true), fc.constant(false), 6),
      createdAt: when,
      restartedAt: mostly(fc.constant(null), when, 8),
      crashing: mostly(fc.constant(false), fc.constant(true), 8),
      deletingSince: mostly(fc.constant(null), when, 8),
      unschedulable: mostly(fc.constant(null), fc.constant('0/4 nodes are available: 4 Insufficient cpu.'), 8),
      broken: mostly(fc.constant(null), fc.constant('database ended with exit code 1'), 8),
      open: mostly(fc.constant(false), fc.constant(true), 6),
      shape: mostly(fc.constant(givenShape()), fc.constant(givenShape({ specHash: 'pod-0', processesPerPod: 2 })), 6),
      wouldChange: mostly(fc.constant(false), fc.constant(true), 4),
    })
    .map((given) => givenPod(id, given));
