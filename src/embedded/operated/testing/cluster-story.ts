import { expect, onTestFinished } from 'vitest';
import type { Condition } from '../../../api/v1alpha1/condition.schema.ts';
import type { ProcessGroupStatus } from '../../../api/v1alpha1/process-group.schema.ts';
import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import { jsonCodec } from '../../../kube/codec.ts';
import type { KubeObject } from '../../../kube/object.ts';
import { parseKey } from '../../../kube/object.ts';
import type { Resource } from '../../../kube/resource.ts';
import { objectPath } from '../../../kube/resource.ts';
import type { EventsV1Event, Taint } from '../../../kube/resources.ts';
import { events, nodes, pods } from '../../../kube/resources.ts';
import { statefulClusters } from '../../../operator/stateful-cluster/view.ts';
import type { PodView } from '../../cluster/pod-view.ts';
import type { OperatedWorldOptions } from '../operated-world.ts';
import { OperatedWorld } from '../operated-world.ts';
import { foundationdb, key } from './foundationdb-spec.ts';

const everyEvent = jsonCodec<EventsV1Event, EventsV1Event>((event) => event);
const quotas: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};
const call = { signal: new AbortController().signal };

/** What the ground truth is while nothing bad has happened. */
export const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };

/** One FoundationDB cluster that is up, what people do about it, and what they read of it. */
export class ClusterStory {
  readonly world: OperatedWorld;

  constructor(world: OperatedWorld) {
    this.world = world;
  }

  get database(): ReturnType<OperatedWorld['database']> {
    return this.world.database(key);
  }

  /** What the engine was told to leave alone: localities and addresses. */
  get exclusions(): readonly string[] {
    return this.database.parts().state.exclusions.list('excluded');
  }

  change(spec: object): Promise<void> {
    return this.world.change(key, spec);
  }

  /** The same with the body as it is on the wire: numbers that JavaScript cannot say. */
  async changeText(body: string): Promise<void> {
    const path = objectPath(statefulClusters, parseKey(key));
    const headers = { 'content-type': 'application/merge-patch+json' };
    const sent = { method: 'PATCH', path, headers, body } as const;
    const { status } = await this.world.cluster.transport().send(sent, call.signal);
    expect(status).toBe(200);
  }

  status(): ReturnType<OperatedWorld['status']> {
    return this.world.status(key);
  }

  async rows(role = ''): Promise<readonly ProcessGroupStatus[]> {
    return (await this.status()).processGroups.filter(({ processGroupID }) => processGroupID.startsWith(role));
  }

  async ids(role = ''): Promise<readonly string[]> {
    return (await this.rows(role)).map(({ processGroupID }) => processGroupID);
  }

  async row(id: string): Promise<ProcessGroupStatus | undefined> {
    return (await this.rows()).find(({ processGroupID }) => processGroupID === id);
  }

  /** The types of a process group's conditions. */
  async ails(id: string): Promise<readonly string[]> {
    return (await this.row(id))?.conditions.map(({ type }) => type) ?? [];
  }

  /** The codes of what a process group waits for. */
  async waits(id: string): Promise<readonly string[]> {
    return (await this.row(id))?.waitingFor.map(({ code }) => code) ?? [];
  }

  async marked(): Promise<readonly string[]> {
    return (await this.rows()).filter((row) => row.removalTimestamp !== null).map((row) => row.processGroupID);
  }

  async condition(type: string): Promise<Condition | undefined> {
    return (await this.status()).conditions.find((one) => one.type === type);
  }

  /** The first of a role that stays, is no coordinator and has its node for itself, so that what happens there happens to nobody else. */
  async alone(role: string): Promise<{ readonly id: string; readonly node: string }> {
    const rows = await this.rows();
    const seats = new Set<string>(
      this.database
        .parts()
        .coordinators.members()
        .map(({ process }) => process.group ?? ''),
    );
    const found = rows.find(
      (row) =>
        row.role === role &&
        row.removalTimestamp === null &&
        !seats.has(row.processGroupID) &&
        rows.filter(({ nodeName }) => nodeName === row.nodeName).length === 1,
    );
    if (found === undefined) throw new Error(`no ${role} process group is alone on its node`);
    return { id: found.processGroupID, node: found.nodeName ?? '' };
  }

  /** Its process goes on running, and nobody hears of it. */
  cutOff(id: string): void {
    for (const process of this.database.whole().processes) if (process.group === id) this.database.isolate(process.id);
  }

  /** It is heard again. */
  rejoin(id: string): void {
    for (const { process } of this.database.parts().state.table.all())
      if (process.group === id) this.database.rejoin(process.id);
  }

  pod(id: string): PodView | undefined {
    return this.world.pods('db').find(({ name }) => name === `orders-${id}`);
  }

  /** Sets exactly these taints, as `kubectl taint` does: without a time unless one is given. */
  async taint(node: string, ...taints: readonly (string | Taint)[]): Promise<void> {
    const all = taints.map((one) => (typeof one === 'string' ? { key: one, effect: 'NoSchedule' } : one));
    await this.world.people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { taints: all } } }, call);
  }

  /** The pod cannot go: something else holds on to it. */
  async holdOn(id: string, finalizers: readonly string[] = ['example.com/holds-on']): Promise<void> {
    const where = { namespace: 'db', name: `orders-${id}` };
    await this.world.people.patch(pods, where, { type: 'merge', body: { metadata: { finalizers } } }, call);
  }

  /** A quota on the namespace: no more than so many of these. */
  async allowNoMore(resource: string, hard: number): Promise<void> {
    const quota: KubeObject & { readonly spec: object } = {
      metadata: { namespace: 'db', name: `no-more-${resource}` },
      spec: { hard: { [resource]: String(hard) } },
    };
    await this.world.people.create(quotas, quota, call);
    await this.world.pass(1);
  }

  async events(reason: string): Promise<readonly EventsV1Event[]> {
    const { items } = await this.world.people.list(events, everyEvent, { ...call, namespace: 'db' });
    return items.filter((event) => event.reason === reason);
  }
}

/** A cluster that is up and at rest, each process group on a node of its own, with an engine that may be told anything. It ends with the test. */
export async function clusterUp(
  spec: Partial<StatefulClusterSpecInput> = {},
  options: OperatedWorldOptions = {},
): Promise<ClusterStory> {
  // Ten minutes after a recovery the engine may be told to include again; here they pass in ten seconds.
  const world = new OperatedWorld({ nodes: 15, ...options, database: { recoveryAgesBy: 60, ...options.database } });
  onTestFinished(() => world.end());
  await world.begin();
  await world.create(key, { ...foundationdb, ...spec });
  expect(await world.until(() => world.isAtRest(key), 300)).toBe(true);
  await world.pass(30);
  expect(await world.isAtRest(key)).toBe(true);
  return new ClusterStory(world);
}
