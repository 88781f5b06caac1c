import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Condition } from '../../../src/api/v1alpha1/condition.schema.ts';
import type { ProcessGroupStatus } from '../../../src/api/v1alpha1/process-group.schema.ts';
import type { StatefulClusterSpecInput } from '../../../src/api/v1alpha1/stateful-cluster.schema.ts';
import type { StatefulClusterStatus } from '../../../src/api/v1alpha1/stateful-cluster-status.schema.ts';
import type { PodView } from '../../../src/embedded/cluster/pod-view.ts';
import type { FoundationDB } from '../../../src/embedded/engines/foundationdb/foundationdb.ts';
import type { EngineProcess } from '../../../src/embedded/engines/model-engine.ts';
import { jsonCodec } from '../../../src/kube/codec.ts';
import type { KubeObject } from '../../../src/kube/object.ts';
import { parseKey } from '../../../src/kube/object.ts';
import { objectPath } from '../../../src/kube/resource.ts';
import type { EventsV1Event, Taint } from '../../../src/kube/resources.ts';
import { events, nodes, pods } from '../../../src/kube/resources.ts';
import { statefulClusters } from '../../../src/operator/stateful-cluster/view.ts';
import type { Seen, Stage } from './stage.ts';

const call = { signal: new AbortController().signal };

/** One FoundationDB cluster on the stage, in a namespace of its own: what people do about it, and what they read of it. */
export class StoryCluster {
  readonly stage: Stage;
  readonly key: string;
  readonly namespace: string;

  constructor(stage: Stage, namespace: string) {
    this.stage = stage;
    this.namespace = namespace;
    this.key = `${namespace}/orders`;
  }

  get database(): FoundationDB {
    return this.stage.databases.of(this.key);
  }

  /** What the engine was told to leave alone: localities and addresses. */
  get exclusions(): readonly string[] {
    return this.database.parts().state.exclusions.list('excluded');
  }

  /** What it was ever told to leave alone, also when that is over. */
  everExcluded(): readonly string[] {
    const words = this.stage.told(this.key).map((argv) => (argv[argv.indexOf('--exec') + 1] ?? '').split(' '));
    const named = words.flatMap(([verb, ...what]) => (verb === 'exclude' ? what : []));
    return [...new Set(named)].filter((word) => word !== 'no_wait');
  }

  /** Who coordinates now. */
  get seats(): readonly EngineProcess[] {
    return this.database
      .parts()
      .coordinators.members()
      .map(({ process }) => process);
  }

  /** The zone that the engine was told to be patient with. */
  get toldZone(): string | null {
    return this.database.parts().maintenance.zone;
  }

  get history(): readonly Seen[] {
    return this.stage.history(this.key);
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.history.at(-1)?.annotations ?? {};
  }

  get status(): StatefulClusterStatus {
    const last = this.history.at(-1);
    if (last === undefined) throw new Error(`${this.key} was never seen`);
    return last.status;
  }

  rows(role = ''): readonly ProcessGroupStatus[] {
    return this.status.processGroups.filter((row) => role === '' || row.role === role);
  }

  ids(role = ''): readonly string[] {
    return this.rows(role).map(({ processGroupID }) => processGroupID);
  }

  row(id: string): ProcessGroupStatus | undefined {
    return this.rows().find(({ processGroupID }) => processGroupID === id);
  }

  /** Those that were ever marked. */
  everMarked(): readonly string[] {
    const rows = this.history.flatMap(({ status }) => status.processGroups);
    return [...new Set(rows.flatMap((row) => (row.removalTimestamp === null ? [] : [row.processGroupID])))].sort();
  }

  /** A process group at the moment when it was first seen to be marked. */
  whenMarked(id: string): ProcessGroupStatus | undefined {
    const rows = this.history.flatMap(({ status }) => status.processGroups);
    return rows.find(({ processGroupID, removalTimestamp }) => processGroupID === id && removalTimestamp !== null);
  }

  /** The types of a process group's conditions. */
  ails(id: string): readonly string[] {
    return this.row(id)?.conditions.map(({ type }) => type) ?? [];
  }

  /** The codes of what a process group waits for. */
  waits(id: string): readonly string[] {
    return this.row(id)?.waitingFor.map(({ code }) => code) ?? [];
  }

  marked(): readonly string[] {
    return this.rows().flatMap((row) => (row.removalTimestamp === null ? [] : [row.processGroupID]));
  }

  /** How many were marked and not yet drained at the same moment, at most. */
  mostInFlight(): number {
    const isInFlight = (row: ProcessGroupStatus) => row.removalTimestamp !== null && row.exclusionTimestamp === null;
    return Math.max(...this.history.map(({ status }) => status.processGroups.filter(isInFlight).length));
  }

  condition(type: string): Condition | undefined {
    return this.status.conditions.find((one) => one.type === type);
  }

  /** The first of a role that stays, and is no coordinator if any is none. Each has a node of its own. */
  plain(role: string): { readonly id: string; readonly node: string } {
    const seats = new Set<string>(this.seats.map(({ group }) => group ?? ''));
    const staying = this.rows(role).filter(({ removalTimestamp }) => removalTimestamp === null);
    const found = staying.find(({ processGroupID }) => !seats.has(processGroupID)) ?? staying[0];
    if (found === undefined) throw new Error(`there is no ${role} process group that stays`);
    return { id: found.processGroupID, node: found.nodeName ?? '' };
  }

  pods(): readonly PodView[] {
    return this.stage.pods.of(this.namespace, 'orders');
  }

  pod(id: string): PodView | undefined {
    return this.pods().find(({ name }) => name === `orders-${id}`);
  }

  /** Which pod each process group has now, by uid. */
  uids(): ReadonlyMap<string, string> {
    return new Map(this.pods().map(({ name, uid }) => [name.slice('orders-'.length), uid]));
  }

  /** Those that have another pod than then, or none. */
  remadeSince(before: ReadonlyMap<string, string>): readonly string[] {
    const now = this.uids();
    return [...before].flatMap(([id, uid]) => (now.get(id) === uid ? [] : [id])).sort();
  }

  async create(spec: StatefulClusterSpecInput): Promise<void> {
    const object: KubeObject & { readonly spec: object } = { metadata: parseKey(this.key), spec };
    await this.stage.people.create(statefulClusters, object, call);
  }

  async change(spec: object): Promise<void> {
    await this.changeText(JSON.stringify({ spec }));
  }

  /** The same with the body as it is on the wire: numbers that JavaScript cannot say. */
  async changeText(body: string): Promise<void> {
    const path = objectPath(statefulClusters, parseKey(this.key));
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { status } = await this.stage.direct.send({ method: 'PATCH', path, headers, body }, call.signal);
    expect(status).toBe(200);
  }

  /** Something is written to the cluster, so that the operator looks at it now instead of within half a minute. */
  async lookedAt(): Promise<void> {
    const body = { metadata: { annotations: { note: String(this.stage.clock.now()) } } };
    await this.stage.people.patch(statefulClusters, parseKey(this.key), { type: 'merge', body }, call);
  }

  /** Its process goes on running, and nobody hears of it. */
  cutOff(id: string): void {
    for (const process of this.database.whole().processes) if (process.group === id) this.database.isolate(process.id);
  }

  /** Tells the kubelet of the pod how it fares: `fares(id, { ready: 'false' })`. */
  async fares(id: string, how: Readonly<Record<string, string | null>>): Promise<void> {
    const annotations = Object.fromEntries(Object.entries(how).map(([what, as]) => [`fake.drover.dev/${what}`, as]));
    await this.patchPod(id, { annotations });
  }

  /** The pod cannot go: something else holds on to it; or nothing does any more. */
  async holdOn(id: string, finalizers: readonly string[] = ['example.com/holds-on']): Promise<void> {
    await this.patchPod(id, { finalizers });
  }

  async patchPod(id: string, metadata: object): Promise<void> {
    const where = { namespace: this.namespace, name: `orders-${id}` };
    await this.stage.people.patch(pods, where, { type: 'merge', body: { metadata } }, call);
  }

  /** Sets exactly these taints, as `kubectl taint` does: without a time. */
  async taint(node: string, ...keys: readonly string[]): Promise<void> {
    const taints = keys.map((key): Taint => ({ key, effect: 'NoSchedule' }));
    await this.stage.people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { taints } } }, call);
  }

  /** From now on nobody can make objects of this kind in the namespace: the one of this name, or any; false: everybody can again. */
  async refuse(resource: string, name: string | null | false): Promise<void> {
    const own = { name: `${this.namespace}-${resource}` };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic';
    if (name === false) return void (await this.stage.plane.request('DELETE', `${path}ybindings/${own.name}`));
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] };
    const expression = name === null ? 'false' : `object.metadata.name != '${name}'`;
    const validations = [{ expression, reason: 'Forbidden', message: 'the story has it so' }];
    await this.stage.plane.create(`${path}ies`, {
      metadata: own,
      spec: { matchConstraints: { resourceRules: [rule] }, validations },
    });
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': this.namespace } };
    await this.stage.plane.create(`${path}ybindings`, {
      metadata: own,
      spec: { policyName: own.name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
    });
    await this.pass(30);
  }

  async events(reason: string): Promise<readonly EventsV1Event[]> {
    const codec = jsonCodec<EventsV1Event, EventsV1Event>((event) => event);
    const { items } = await this.stage.people.list(events, codec, { ...call, namespace: this.namespace });
    return items.filter((event) => event.reason === reason);
  }

  /**
   * There are, or will be in a moment, exactly these events with the reason: `Mark Warning`; and the metrics count as many of it, or more where the
   * same was told again. Their notes, for whoever wants to know more.
   */
  async tells(reason: string, ...expected: readonly string[]): Promise<readonly string[]> {
    const notes: string[] = [];
    await eventually(async () => {
      const told = await this.events(reason);
      expect(told.map(({ action, type }) => `${action} ${type}`).sort(), reason).toEqual([...expected].sort());
      notes.splice(0, notes.length, ...told.map(({ note }) => note ?? ''));
    });
    const counted = Object.entries(await this.decisions()).filter(([what]) => what.endsWith(` ${reason}`));
    const sum = counted.reduce((all, [, count]) => all + count, 0);
    if (expected.length === 0) expect(sum, reason).toBe(0);
    else expect(sum, reason).toBeGreaterThanOrEqual(expected.length);
    return notes;
  }

  /** How often each thing was done, refused or began to wait, by `step reason`, as the operator's metrics have it. */
  async decisions(): Promise<Readonly<Record<string, number>>> {
    const lines = (await this.stage.metrics()).matchAll(
      /^drover_decisions_total\{cluster="([^"]+)",step="([^"]+)",reason="([^"]+)"\} (\d+)$/gm,
    );
    const own = [...lines].filter(([, cluster]) => cluster === this.key);
    return Object.fromEntries(own.map(([, , step, reason, count]) => [`${step} ${reason}`, Number(count)]));
  }

  /** The ground truth: no data and no quorum was ever lost, and everything is served, if not at this very moment. */
  async lostNothing(): Promise<void> {
    await eventually(() => expect(this.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] }));
  }

  /** Everything is there, nothing leaves, and nothing is the matter with anything. */
  isAtRest(): boolean {
    const { counts, processGroups, observedGeneration } = this.status;
    const isWhole = counts.current === counts.desired && counts.available === counts.desired && counts.desired > 0;
    const isWell = processGroups.every(({ conditions, waitingFor }) => conditions.length + waitingFor.length === 0);
    return observedGeneration > 0 && isWhole && counts.leaving === 0 && isWell;
  }

  /** The spec was read as it is now, and everything came to rest after that. */
  async settles(): Promise<void> {
    const { metadata } = await this.stage.people.get(statefulClusters, parseKey(this.key), call);
    await eventually(() => {
      expect(this.status.observedGeneration).toBe(metadata.generation);
      expect(this.marked()).toEqual([]);
      expect(this.rows().flatMap((row) => [...row.conditions, ...row.waitingFor])).toEqual([]);
      expect(this.isAtRest()).toBe(true);
    });
  }

  /** It is gone with all that it had. */
  async isGone(id: string): Promise<void> {
    await eventually(() => {
      expect(this.row(id)).toBeUndefined();
      expect(this.pod(id)).toBeUndefined();
    });
    const path = `/api/v1/namespaces/${this.namespace}`;
    const left = [`${path}/persistentvolumeclaims/orders-${id}-data`, `${path}/services/orders-${id}`];
    for (const object of left)
      await eventually(async () => expect((await this.stage.plane.request('GET', object)).status, object).toBe(404));
  }

  /** So many seconds by the quick clock. */
  async pass(time: number): Promise<void> {
    const until = this.stage.clock.now() + time * 1000;
    while (this.stage.clock.now() < until) await pause(20);
  }
}

/** Looks again and again until nothing is amiss; what was amiss at the last look, after so many milliseconds, is what fails. */
export async function eventually(look: () => Promise<void> | void, within = 150_000): Promise<void> {
  const last = performance.now() + within;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > last) throw error;
    }
    await pause(100);
  }
}
