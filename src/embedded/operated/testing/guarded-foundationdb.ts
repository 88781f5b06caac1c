import { expect, onTestFinished } from 'vitest';
import { evictionGuard } from '../../../api/kinds.ts';
import type { EvictionGuardSpecInput, EvictionGuardStatus } from '../../../api/v1alpha1/eviction-guard.schema.ts';
import type { KubeObject } from '../../../kube/object.ts';
import { evictionGuards } from '../../../operator/eviction-guard/view.ts';
import type { PodView } from '../../cluster/pod-view.ts';
import { statefulSets } from '../../cluster/resources.ts';
import type { FoundationDB } from '../../engines/foundationdb/foundationdb.ts';
import { OperatedWorld } from '../operated-world.ts';

const call = { signal: new AbortController().signal };
const key = { namespace: 'db', name: 'fdb' };
const counts = { storage: 5, log: 4, stateless: 3 } as const;

/** Guards what three StatefulSets run. fdbcli is found in their containers, and its cluster file beside it. */
export const fdbGuard: EvictionGuardSpecInput = {
  engine: { type: 'foundationdb' },
  roles: Object.keys(counts).map((name) => ({ name, selector: { matchLabels: { app: 'fdb', tier: name } } })),
};

export interface GuardedFoundationDBOptions {
  readonly spec?: Partial<EvictionGuardSpecInput>;
  /** How much data there is in one copy. @default 1 GiB */
  readonly bytes?: number;
  /** Disks that go along with a pod, or that stay on its node. @default network */
  readonly storageClass?: 'network' | 'local';
}

/** A FoundationDB that somebody else runs in StatefulSets, created and full of data, and a guard on it that is up and quiet. */
export async function guardedFoundationDB(options: GuardedFoundationDBOptions = {}): Promise<GuardedFoundationDB> {
  const { spec = {}, storageClass = 'network', bytes = 2 ** 30 } = options;
  const world = new OperatedWorld({ nodes: 14, database: { bytes, recoveryAgesBy: 10 } });
  onTestFinished(() => world.end());
  await world.begin();
  for (const [tier, replicas] of Object.entries(counts))
    await world.people.create(statefulSets, setOf(tier, replicas, storageClass), call);
  const guarded = new GuardedFoundationDB(world);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const running = () => world.pods('db').filter(({ phase }) => phase === 'Running').length;
  expect(await world.until(() => running() === all, 300)).toBe(true);
  await guarded.found();
  const guard: KubeObject & { readonly spec: object } = { metadata: key, spec: { ...fdbGuard, ...spec } };
  await world.people.create(evictionGuards, guard, call);
  await world.pass(70);
  return guarded;
}

function setOf(tier: string, replicas: number, storageClassName: string): KubeObject & { readonly spec: object } {
  const labels = { app: 'fdb', tier };
  const resources = { requests: { storage: '10Gi' } };
  const data = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources } };
  const volumeMounts = [{ name: 'data', mountPath: '/var/fdb/data' }];
  return {
    metadata: { namespace: 'db', name: `fdb-${tier}` },
    spec: {
      replicas,
      serviceName: 'fdb',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { ...apart, containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63', volumeMounts }] },
      },
      volumeClaimTemplates: [data],
    },
  };
}

/** No two on one node. */
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'fdb' } } },
      ],
    },
  },
};

/** The guard of the tests in its world, as people look at it. */
export class GuardedFoundationDB {
  readonly world: OperatedWorld;

  constructor(world: OperatedWorld) {
    this.world = world;
  }

  get database(): FoundationDB {
    return this.world.database('db/fdb');
  }

  /** The database comes to be, with three coordinators among its logs. */
  async found(): Promise<void> {
    const logs = this.world.pods('db').filter(({ labels }) => labels['tier'] === 'log');
    const hosts = logs.slice(0, 3).map(({ object }) => `${JSON.parse(JSON.stringify(object)).status.podIP}:4501`);
    const argv = ['--exec', 'configure new double ssd'];
    const { code } = await this.database.fdbcli(argv, '', { clusterFile: `fdb:fdb@${hosts.join(',')}` });
    expect(code).toBe(0);
    await this.world.pass(120);
  }

  async status(): Promise<EvictionGuardStatus> {
    const read: KubeObject & { readonly status?: unknown } = await this.world.people.get(evictionGuards, key, call);
    return evictionGuard.status.parse(read.status ?? {});
  }

  /** `Locked True BudgetsInPlace`, for each condition. */
  async conditions(): Promise<readonly string[]> {
    return (await this.status()).conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  }

  pod(podName: string): PodView | undefined {
    return this.world.pods('db').find((one) => one.name === podName);
  }

  /** What the database was told to empty. */
  async excluded(): Promise<readonly string[]> {
    const { stdout } = await this.database.fdbcli(['--exec', 'exclude']);
    return stdout.split('\n').filter((line) => line.startsWith('  '));
  }

  /** The pods of the coordinators. */
  async coordinators(): Promise<readonly string[]> {
    const { stdout } = await this.database.fdbcli(['--exec', 'status json']);
    const { connection_string } = JSON.parse(stdout).cluster;
    return this.world
      .pods('db')
      .filter(({ object }) => connection_string.includes(`${JSON.parse(JSON.stringify(object)).status.podIP}:`))
      .map(({ name }) => name);
  }
}
