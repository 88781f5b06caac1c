import { expect, onTestFinished } from 'vitest';
import type { ProcessGroupStatus } from '../../../api/v1alpha1/process-group.schema.ts';
import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import { jsonCodec } from '../../../kube/codec.ts';
import type { EventsV1Event } from '../../../kube/resources.ts';
import { events } from '../../../kube/resources.ts';
import type { Quota } from '../../../operator/stateful-cluster/fleet/quota.ts';
import { quotas } from '../../../operator/stateful-cluster/fleet/quota.ts';
import type { OperatedWorldOptions } from '../operated-world.ts';
import { OperatedWorld } from '../operated-world.ts';

const template = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63' }] } };
const volumeClaimTemplate = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'local',
  resources: { requests: { storage: '10Gi' } },
};

/** Six pods and five claims. One copy of everything: no zone may fail, so nothing is ever emptied before its successor is up. */
const small: StatefulClusterSpecInput = {
  engine: { type: 'foundationdb', version: '7.3.63', foundationdb: { redundancyMode: 'single' } },
  roles: [
    { name: 'storage', count: 3, template, volumeClaimTemplate },
    { name: 'log', count: 2, template, volumeClaimTemplate },
    { name: 'stateless', count: 1, template },
  ],
};
const call = { signal: new AbortController().signal };
const where = { namespace: 'db', name: 'shared' };

/** Several small clusters in one namespace, and a quota that they share. */
export class SharedQuota {
  readonly world: OperatedWorld;
  readonly keys: readonly string[];

  constructor(world: OperatedWorld, keys: readonly string[]) {
    this.world = world;
    this.keys = keys;
  }

  /** Room for all that is there, and for so many more pods with a claim. */
  async roomFor(more: number, others: Readonly<Record<string, string>> = {}): Promise<void> {
    const [pods, claims] = [6 * this.keys.length + more, 5 * this.keys.length + more];
    await this.limit({ pods: `${pods}`, persistentvolumeclaims: `${claims}`, ...others });
  }

  async limit(hard: Readonly<Record<string, string>>): Promise<void> {
    const quota: Quota = { metadata: where, spec: { hard } };
    await this.world.people.create(quotas, quota, call).catch(async () => {
      await this.world.people.patch(quotas, where, { type: 'merge', body: { spec: { hard } } }, call);
    });
    await this.world.pass(1);
  }

  async lift(): Promise<void> {
    await this.world.people.delete(quotas, where, call);
  }

  async storage(key: string): Promise<readonly ProcessGroupStatus[]> {
    return (await this.world.status(key)).processGroups.filter(({ role }) => role === 'storage');
  }

  async first(key: string): Promise<string> {
    return (await this.storage(key))[0]?.processGroupID ?? '';
  }

  async row(key: string, id: string): Promise<ProcessGroupStatus | undefined> {
    return (await this.storage(key)).find(({ processGroupID }) => processGroupID === id);
  }

  /** People ask for the first storage server of each to be replaced, one cluster after the other. Gives which those are. */
  async replaceFirstOfEach(keys = this.keys): Promise<ReadonlyMap<string, string>> {
    const asked = new Map<string, string>();
    for (const key of keys) asked.set(key, await this.first(key));
    for (const [key, id] of asked) await this.world.change(key, { processGroupsToRemove: [id] });
    return asked;
  }

  /** Those of the clusters that are through: the old one is gone, and all that should be there is. */
  async done(asked: ReadonlyMap<string, string>): Promise<readonly string[]> {
    const done: string[] = [];
    for (const [key, id] of asked) {
      const isGone = (await this.row(key, id)) === undefined;
      if (isGone && (await this.world.isAtRest(key))) done.push(key);
    }
    return done;
  }

  /** The clusters in which one leaves. */
  async replacing(): Promise<readonly string[]> {
    const rows = await Promise.all(this.keys.map((key) => this.storage(key)));
    return this.keys.filter((_, index) => rows[index]?.some((row) => row.removalTimestamp !== null));
  }

  /** How often the operator tried to make one of these: `pods`. */
  made(plural: string): number {
    return this.world.writes.filter((write) => write === `POST /api/v1/namespaces/db/${plural}`).length;
  }

  async notes(reason: string): Promise<readonly string[]> {
    const codec = jsonCodec<EventsV1Event, EventsV1Event>((event) => event);
    const { items } = await this.world.people.list(events, codec, { ...call, namespace: 'db' });
    return items.filter((event) => event.reason === reason).map(({ note }) => note ?? '');
  }
}

/** Clusters that are up and at rest. They end with the test. */
export async function clustersUp(
  specs: Readonly<Record<string, Partial<StatefulClusterSpecInput>>>,
  options: OperatedWorldOptions = {},
): Promise<SharedQuota> {
  const world = new OperatedWorld({ nodes: 12, database: { bytes: 2 ** 30, recoveryAgesBy: 60 }, ...options });
  onTestFinished(() => world.end());
  await world.begin();
  const keys = Object.keys(specs);
  for (const key of keys) await world.create(key, { ...small, ...specs[key] });
  const areUp = async () => (await Promise.all(keys.map((key) => world.isAtRest(key)))).every((isUp) => isUp);
  expect(await world.until(areUp, 300)).toBe(true);
  await world.pass(60);
  return new SharedQuota(world, keys);
}
