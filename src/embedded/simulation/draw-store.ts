import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import { claimOf, templateOf } from './cluster-changes.ts';
import { pick } from './pick.ts';
import type { GuardPlan } from './simulated-guard.ts';
import type { StorePlan } from './store-subject.ts';
import { ownRole } from './store-subject.ts';
import { taintKey } from './taint-key.ts';

/** Whose pods a run is about. People change only what Drover owns. */
const owners = {
  drains: ['own', 'guarded', 'both', 'both'],
  failures: ['own', 'guarded', 'both'],
  upgrades: ['own'],
  mixed: ['own', 'own', 'both'],
} as const;

/** The stores of a run: in pods of a StatefulCluster, in those of somebody else under an EvictionGuard, or in both. */
export function storeDraws(
  random: Random,
  story: keyof typeof owners,
): { readonly roles: readonly string[]; readonly subject: () => StorePlan } {
  const owned = pick<string>(random, owners[story]);
  return {
    roles: [ownRole],
    subject: () => ({
      engine: 'http',
      cluster: owned === 'guarded' ? undefined : drawSpec(random),
      guard: owned === 'own' ? undefined : drawGuard(random),
      replicationFactor: pick(random, [2, 2, 3]),
      shards: randomInteger(random, 3, 7),
      gibibytes: pick(random, [1, 1, 4, 8]),
      noticeDelay: seconds(pick(random, [0, 3, 15])),
    }),
  };
}

const policies = [
  'block-if-contains-last-replica',
  'block-for-eviction',
  'block-for-eviction-if-contains-last-replica',
  'allow-if-replica-is-stopped',
] as const;
const storageClasses = ['local', 'network'] as const;

/** Four: one more than the seats of the quorum, so that a seat can move. */
const drawGuard = (random: Random): GuardPlan => ({
  pods: 4,
  storageClassName: pick(random, storageClasses),
  spec: { drainPolicy: pick(random, policies), trigger: pick(random, [null, 'Cordon']) },
});

function drawSpec(random: Random): StatefulClusterSpecInput {
  return {
    engine: { type: 'http', http: { url: 'http://orders.db' } },
    roles: [
      {
        name: ownRole,
        count: randomInteger(random, 4, 6),
        template: templateOf(1),
        volumeClaimTemplate: claimOf(1, pick(random, storageClasses)),
      },
    ],
    drainPolicy: pick(random, policies),
    maxZonesWithUnavailablePods: pick(random, [null, 0, 1]),
    automationOptions: {
      podUpdateStrategy: pick(random, ['Delete', 'Replace']),
      deletionMode: pick(random, ['Zone', 'ProcessGroup', 'All']),
      removalMode: pick(random, ['Zone', 'ProcessGroup', 'All']),
      waitBetweenRemovalsSeconds: pick(random, [0, 60]),
      maxConcurrentReplacements: pick(random, [null, 1, 2]),
      replacements: {
        enabled: random.next() < 0.8,
        failureDetectionTimeSeconds: pick(random, [300, 600]),
        maxConcurrentReplacements: pick(random, [1, 2]),
        taintReplacementOptions: [{ key: taintKey, durationInSeconds: 120 }],
        taintReplacementTimeSeconds: 120,
      },
    },
  };
}
