import type { StatefulClusterSpecInput } from '../../../src/api/v1alpha1/stateful-cluster.schema.ts';
import type { FdbOptions } from '../../../src/embedded/engines/foundationdb/fdb-options.ts';
import type { Stage } from './stage.ts';
import { poolLabel, sharedPool } from './stage.ts';
import { eventually, StoryCluster } from './story-cluster.ts';

type Role = StatefulClusterSpecInput['roles'][number];
type Replacements = NonNullable<NonNullable<StatefulClusterSpecInput['automationOptions']>['replacements']>;

/** One thing that the documents say, shown on a cluster of its own. */
export interface Story {
  /** A sentence, as it is told. */
  readonly says: string;
  readonly spec?: Partial<StatefulClusterSpecInput>;
  /** Automatic replacement like this, switched on once the cluster is up: what takes its time to come up is no failure. */
  readonly automatic?: Replacements;
  /** How many process groups of each role. */
  readonly counts?: Readonly<Record<string, number>>;
  /** So many nodes of its own, where something is done to nodes. */
  readonly ownNodes?: number;
  readonly database?: Partial<FdbOptions>;
  readonly goes: (cluster: StoryCluster) => Promise<void>;
}

/** Mostly the logs are the coordinators, so that a storage server can go without a change of seats. */
const usualCounts = { storage: 3, log: 3, stateless: 1 };

/** The only one of its role is not taken away to be made again. */
export const withTwoStateless = { storage: 3, log: 3, stateless: 2 };

/** The roles of a story's cluster; a change of a role is a change of this. */
export function roles(
  pool: string,
  counts: Readonly<Record<string, number>> = usualCounts,
  change: Readonly<Record<string, object>> = {},
): readonly Role[] {
  return Object.entries(counts).map(([name, count]) => ({
    name,
    count,
    template: template(pool),
    ...(name !== 'stateless' && { volumeClaimTemplate: claim('10Gi') }),
    ...change[name],
  }));
}

/**
 * Each process group has a node of its own, so that what happens there happens to nobody else. But no more than a wish: another one may take the node
 * of a pod that is away for a moment and cannot go anywhere else.
 */
export const apart = {
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchExpressions: [{ key: 'drover.dev/cluster', operator: 'Exists' }] },
        },
      },
    ],
  },
};

/** A template with this in its only container, and beside it. */
export const template = (pool: string, container: object = {}, spec: object = {}) => ({
  spec: {
    containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63', ...container }],
    nodeSelector: { [poolLabel]: pool },
    // The grace is part of when a pod was deleted, and the operator's clock makes ten of each second.
    terminationGracePeriodSeconds: 1,
    affinity: apart,
    ...spec,
  },
});

export const claim = (storage: string) => ({
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'local',
  resources: { requests: { storage } },
});

/** The cluster of a story, up and at rest. */
export async function clusterOf(stage: Stage, story: Story, namespace: string): Promise<StoryCluster> {
  const { spec, counts, ownNodes = 0, database, automatic } = story;
  const cluster = new StoryCluster(stage, namespace);
  const pool = ownNodes > 0 ? namespace : sharedPool;
  if (database !== undefined) stage.makeSpecial(cluster.key, database);
  await stage.plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const own = Array.from({ length: ownNodes }, (_, index) => `${namespace}-n${index + 1}`);
  await stage.plane.addNodes(own.map((name) => ({ name, zone: 'z1', labels: { [poolLabel]: pool } })));
  const engine = { type: 'foundationdb', version: database?.version ?? '7.3.63' } as const;
  await cluster.create({ engine, roles: roles(pool, counts), ...spec });
  await eventually(() => {
    if (!cluster.isAtRest()) throw new Error(`${cluster.key} does not come up: ${JSON.stringify(cluster.status)}`);
  });
  if (automatic !== undefined)
    await cluster.change({ automationOptions: { replacements: { enabled: true, ...automatic } } });
  return cluster;
}
