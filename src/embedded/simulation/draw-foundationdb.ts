import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import { claimOf, templateOf } from './cluster-changes.ts';
import type { FoundationDBPlan } from './foundationdb-subject.ts';
import { pick } from './pick.ts';
import { taintKey } from './taint-key.ts';

const gibibyte = 2 ** 30;
const roles = ['storage', 'log', 'stateless'] as const;

/** The FoundationDB of a run: more or less data, old enough for exclusion by address or new enough for localities. */
export function foundationdbDraws(random: Random): {
  readonly roles: readonly string[];
  readonly subject: () => FoundationDBPlan;
} {
  // Localities can be excluded from 7.1 on.
  const version = pick(random, ['6.3.24', '7.1.57', '7.3.63']);
  return {
    roles,
    subject: () => ({
      engine: 'foundationdb',
      spec: drawSpec(random, version),
      database: { version, bytes: pick(random, [1, 6, 24]) * gibibyte, recoveryAgesBy: pick(random, [1, 10]) },
    }),
  };
}

function drawSpec(random: Random, version: string): StatefulClusterSpecInput {
  const redundancyMode = pick(random, ['double', 'double', 'triple'] as const);
  const template = templateOf(1);
  const volumeClaimTemplate = claimOf(1, pick(random, ['local', 'local', 'network']));
  return {
    engine: { type: 'foundationdb', version, foundationdb: { redundancyMode } },
    roles: [
      {
        name: 'storage',
        count: randomInteger(random, 4, 7),
        processesPerPod: pick(random, [1, 1, 2]),
        template,
        volumeClaimTemplate,
      },
      { name: 'log', count: randomInteger(random, 4, 6), template, volumeClaimTemplate },
      { name: 'stateless', count: 4, template },
    ],
    publicIPSource: pick(random, ['Pod', 'Pod', 'Service']),
    replaceInstancesWhenResourcesChange: random.next() < 0.5,
    drainPolicy: pick(random, ['block-if-contains-last-replica', 'block-for-eviction', 'allow-if-replica-is-stopped']),
    maxZonesWithUnavailablePods: pick(random, [null, 0, 1]),
    automationOptions: {
      podUpdateStrategy: pick(random, ['Delete', 'Replace', 'ReplaceTransactionSystem']),
      deletionMode: pick(random, ['Zone', 'ProcessGroup', 'All']),
      removalMode: pick(random, ['Zone', 'ProcessGroup', 'All']),
      waitBetweenRemovalsSeconds: pick(random, [0, 60, 300]),
      maxConcurrentReplacements: pick(random, [null, 1, 2]),
      maintenanceModeOptions: { useMaintenanceModeChecker: random.next() < 0.3 },
      replacements: {
        enabled: random.next() < 0.8,
        failureDetectionTimeSeconds: pick(random, [300, 900]),
        maxConcurrentReplacements: pick(random, [1, 2]),
        taintReplacementOptions: [{ key: taintKey, durationInSeconds: 120 }],
        taintReplacementTimeSeconds: 300,
      },
    },
  };
}
