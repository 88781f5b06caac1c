import { expect, onTestFinished } from 'vitest';
import type { ProcessGroupStatus } from '../../../api/v1alpha1/process-group.schema.ts';
import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import { jsonCodec } from '../../../kube/codec.ts';
import type { EventsV1Event } from '../../../kube/resources.ts';
import { events, pods } from '../../../kube/resources.ts';
import type { PodView } from '../../cluster/pod-view.ts';
import type { Truth } from '../../engines/model-engine.ts';
import type { OperatedWorldOptions } from '../operated-world.ts';
import { OperatedWorld } from '../operated-world.ts';
import { foundationdb, key } from './foundationdb-spec.ts';

const gibibyte = 2 ** 30;

/**
 * A cluster that is up and at rest, with little data and a short memory of recoveries, so that everything takes seconds. The seed says which nodes
 * its pods and coordinators come to be on, for tests that need some of them apart.
 */
export async function runningCluster(
  spec: Partial<StatefulClusterSpecInput> = {},
  seed = 1,
  options: OperatedWorldOptions = {},
): Promise<RunningCluster> {
  const world = new OperatedWorld({ seed, database: { bytes: gibibyte, recoveryAgesBy: 10 }, ...options });
  onTestFinished(() => world.end());
  await world.begin();
  await world.create(key, { ...foundationdb, ...spec });
  expect(await world.until(() => world.isAtRest(key), 300)).toBe(true);
  // Ten quiet minutes after the first recovery, as this engine counts them, it may be told anything.
  await world.pass(70);
  expect(await world.isAtRest(key)).toBe(true);
  return new RunningCluster(world);
}

/** The cluster of the tests in its world, as people look at it. */
export class RunningCluster {
  readonly world: OperatedWorld;

  constructor(world: OperatedWorld) {
    this.world = world;
  }

  async rows(role = ''): Promise<readonly ProcessGroupStatus[]> {
    return (await this.world.status(key)).processGroups.filter((row) => role === '' || row.role === role);
  }

  async ids(role = ''): Promise<readonly string[]> {
    return (await this.rows(role)).map(({ processGroupID }) => processGroupID);
  }

  /** Those that leave. */
  async marked(role = ''): Promise<readonly string[]> {
    return (await this.rows(role)).flatMap(({ processGroupID, removalTimestamp }) =>
      removalTimestamp === null ? [] : [processGroupID],
    );
  }

  async row(id: string): Promise<ProcessGroupStatus | undefined> {
    return (await this.rows()).find(({ processGroupID }) => processGroupID === id);
  }

  /** The codes of what it waits for. */
  async waits(id: string): Promise<readonly string[]> {
    return ((await this.row(id))?.waitingFor ?? []).map(({ code }) => code);
  }

  pod(id: string): PodView | undefined {
    return this.world.pods('db').find(({ name }) => name === `orders-${id}`);
  }

  /** Which pod each process group has now, by uid. */
  uids(): ReadonlyMap<string, string> {
    return new Map(this.world.pods('db').map(({ name, uid }) => [name.slice('orders-'.length), uid]));
  }

  /** Those that have another pod than then, or none. */
  remadeSince(before: ReadonlyMap<string, string>): readonly string[] {
    const now = this.uids();
    return [...before].flatMap(([id, uid]) => (now.get(id) === uid ? [] : [id]));
  }

  /** Tells the kubelet of the pod how it fares: `annotate(id, { ready: 'false' })`. */
  async annotate(id: string, fares: Readonly<Record<string, string | null>>): Promise<void> {
    const annotations = Object.fromEntries(
      Object.entries(fares).map(([what, how]) => [`fake.drover.dev/${what}`, how]),
    );
    await this.world.people.patch(
      pods,
      { namespace: 'db', name: `orders-${id}` },
      { type: 'merge', body: { metadata: { annotations } } },
      { signal: new AbortController().signal },
    );
  }

  /** The events about the cluster with this reason. */
  async events(reason: string): Promise<readonly EventsV1Event[]> {
    const codec = jsonCodec<EventsV1Event, EventsV1Event>((event) => event);
    const options = { namespace: 'db', signal: new AbortController().signal };
    const { items } = await this.world.people.list(events, codec, options);
    return items.filter((event) => event.reason === reason);
  }

  change(spec: object): Promise<void> {
    return this.world.change(key, spec);
  }

  /** Whether everything comes to rest, as the spec is now. */
  async settles(within: number): Promise<boolean> {
    await this.world.pass(30);
    return this.world.until(() => this.world.isAtRest(key), within);
  }

  truth(): Truth {
    return this.world.database(key).truth();
  }
}

export const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };

/** The roles of the spec, one of them changed. */
export const rolesWith = (changed: string, change: object): StatefulClusterSpecInput['roles'] =>
  foundationdb.roles.map((role) => (role.name === changed ? { ...role, ...change } : role));

/** A template with this in its only container, and beside it. */
export const templateWith = (container: object, spec: object = {}) => ({
  spec: { ...spec, containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63', ...container }] },
});
