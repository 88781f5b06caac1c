import { expect, onTestFinished } from 'vitest';
import { evictionGuard } from '../../../api/kinds.ts';
import type {
  EvictionGuardSpecInput,
  EvictionGuardStatus,
  GuardedProcess,
} from '../../../api/v1alpha1/eviction-guard.schema.ts';
import type { KubeObject } from '../../../kube/object.ts';
import type { RoleName } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { evictionGuards } from '../../../operator/eviction-guard/view.ts';
import type { PodView } from '../../cluster/pod-view.ts';
import { statefulSets } from '../../cluster/resources.ts';
import type { ReplicatedStore } from '../../engines/replicated-store/replicated-store.ts';
import type { StoreOptions } from '../../engines/replicated-store/store-options.ts';
import type { OperatedWorldOptions } from '../operated-world.ts';
import { OperatedWorld } from '../operated-world.ts';

const call = { signal: new AbortController().signal };
const ledger = { namespace: 'db', name: 'ledger' };

/** Guards every pod of the ledger. */
export const ledgerGuard: EvictionGuardSpecInput = {
  engine: { type: 'http', http: { url: 'http://ledger.db' } },
  roles: [{ name: 'shard', selector: { matchLabels: { app: 'ledger' } } }],
};

export interface GuardedStoreOptions extends Pick<OperatedWorldOptions, 'coversForeign' | 'runsAs'> {
  readonly spec?: Partial<EvictionGuardSpecInput>;
  readonly store?: Partial<StoreOptions>;
  readonly pods?: number;
  readonly storageClass?: 'network' | 'local';
  /** The test ends the world itself. */
  readonly endless?: boolean;
}

/** A StatefulSet of a replicated store with six shards of 1 GiB in two copies each, and a guard on it that is up and quiet. */
export async function guardedStore(options: GuardedStoreOptions = {}): Promise<GuardedStore> {
  const { spec = {}, store = {}, pods = 4, storageClass = 'network', endless = false, ...others } = options;
  const role = name<RoleName>('shard');
  const shape = { dataRole: role, quorumRole: role, replicationFactor: 2, ...store };
  const world = new OperatedWorld({ store: shape, ...others });
  if (!endless) onTestFinished(() => world.end());
  await world.begin();
  await world.people.create(statefulSets, ledgerSet(pods, storageClass), call);
  const guarded = new GuardedStore(world);
  expect(await world.until(() => guarded.pods().filter(({ phase }) => phase === 'Running').length === pods, 300)).toBe(
    true,
  );
  for (let unit = 1; unit <= 6; unit++) guarded.store.createShard(name(`s${unit}`), 2 ** 30);
  await world.pass(60);
  await guarded.guard({ ...ledgerGuard, ...spec });
  await world.pass(35);
  return guarded;
}

function ledgerSet(replicas: number, storageClassName: string): KubeObject & { readonly spec: object } {
  const labels = { app: 'ledger', tier: 'shard' };
  return {
    metadata: ledger,
    spec: {
      replicas,
      serviceName: 'ledger',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'ledger' } },
      template: { metadata: { labels }, spec: { ...apart, containers: [container] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '10Gi' } } },
        },
      ],
    },
  };
}

const container = { name: 'ledger', image: 'ledger:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
/** No two on one node. */
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'ledger' } } },
      ],
    },
  },
};

/** The guard of the tests in its world, as people look at it. */
export class GuardedStore {
  readonly world: OperatedWorld;

  constructor(world: OperatedWorld) {
    this.world = world;
  }

  get store(): ReplicatedStore {
    return this.world.store('db/ledger');
  }

  async guard(spec: EvictionGuardSpecInput, guardName = ledger.name): Promise<void> {
    const object: KubeObject & { readonly spec: EvictionGuardSpecInput } = {
      metadata: { ...ledger, name: guardName },
      spec,
    };
    await this.world.people.create(evictionGuards, object, call);
  }

  async change(spec: object): Promise<void> {
    await this.world.people.patch(evictionGuards, ledger, { type: 'merge', body: { spec } }, call);
  }

  async unguard(guardName = ledger.name): Promise<void> {
    await this.world.people.delete(evictionGuards, { ...ledger, name: guardName }, call);
  }

  async status(guardName = ledger.name): Promise<EvictionGuardStatus> {
    const read: KubeObject & { readonly status?: unknown } = await this.world.people.get(
      evictionGuards,
      { ...ledger, name: guardName },
      call,
    );
    return evictionGuard.status.parse(read.status ?? {});
  }

  /** `True AllResponding: the engine answers...` */
  async condition(type: string, guardName = ledger.name): Promise<string> {
    const found = (await this.status(guardName)).conditions.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  }

  async row(pod: string): Promise<GuardedProcess | undefined> {
    return (await this.status()).processes.find((row) => row.pod === pod);
  }

  pods(): readonly PodView[] {
    return this.world.pods('db');
  }

  pod(podName: string): PodView | undefined {
    return this.pods().find((one) => one.name === podName);
  }

  /** How many units have a copy on a pod. */
  copiesOn(pod: string): number {
    return this.store.whole().units.filter(({ replicas }) => replicas.some(({ process }) => process === pod)).length;
  }

  /** A pod that holds data, and its node. */
  holder(): { readonly pod: string; readonly node: string; readonly uid: string } {
    const found = this.pods().find((one) => this.copiesOn(one.name) > 0);
    return { pod: found?.name ?? '', node: found?.nodeName ?? '', uid: found?.uid ?? '' };
  }
}

export const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };
