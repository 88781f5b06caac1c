import { spec as specSchema } from '../../api/snapshot/spec.schema.ts';
import { seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { CorePlan } from './core-subject.ts';
import { pick } from './pick.ts';
import { taintKey } from './taint-key.ts';

/** The store of a run. The happenings are drawn between the two: an order that every seed depends on. */
export function coreDraws(random: Random): { readonly roles: readonly string[]; readonly subject: () => CorePlan } {
  const replicationFactor = randomInteger(random, 2, 4);
  return {
    roles: ['dbserver'],
    subject: () => ({
      engine: 'core',
      spec: drawSpec(random, replicationFactor),
      replicationFactor,
      shards: randomInteger(random, 6, 15),
      noticeDelay: seconds(pick(random, [0, 3, 15])),
    }),
  };
}

const policies = ['block-if-contains-last-replica', 'block-for-eviction', 'allow-if-replica-is-stopped'] as const;

/** A store of data servers and the members of its agency, under ArangoDB's rules and any of the limits that people set. */
function drawSpec(random: Random, replicationFactor: number): ClusterSpec {
  const shape = { claimSpecHash: 'claim-1', specHash: 'pod-1' };
  return specSchema.parse({
    engine: 'arangodb',
    roles: [
      { name: 'dbserver', count: replicationFactor + randomInteger(random, 1, 4), shape },
      { name: 'agent', count: pick(random, [3, 5]), shape },
    ],
    drainPolicy: pick(random, policies),
    podUpdateStrategy: pick(random, ['Delete', 'Replace']),
    deletionMode: pick(random, ['Zone', 'ProcessGroup']),
    removalMode: pick(random, ['Zone', 'ProcessGroup', 'All']),
    waitBetweenRemovals: pick(random, [0, 60, 300]),
    maxZonesWithUnavailablePods: pick(random, [null, 0, 1]),
    maxConcurrentReplacements: pick(random, [null, 1, 2]),
    replacements: {
      enabled: random.next() < 0.8,
      failureDetectionTime: pick(random, [300, 600]),
      maxConcurrentReplacements: pick(random, [1, 2]),
      taints: [{ key: taintKey, duration: 120 }],
      taintReplacementTime: 300,
    },
  });
}
