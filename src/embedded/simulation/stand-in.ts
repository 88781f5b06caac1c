import { decide } from '../../decide.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Timer } from '../../kube/clock.ts';
import { millis, seconds } from '../../kube/clock.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import { pods } from '../../kube/resources.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Action, Decision } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Ask } from '../../model/snapshot.ts';
import { instant } from '../../model/time.ts';
import { isUnreachable } from '../../model/topology.ts';
import type { EmbeddedCluster } from '../cluster/cluster.ts';
import { claims } from '../cluster/resources.ts';
import { EngineRefusal, EngineSilence } from '../engines/model-engine.ts';
import type { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import { claimFor, podFor } from './manifests.ts';
import { namespace, observe } from './observe.ts';
import type { Recorded } from './store-status.ts';
import { nothingRecorded, recordedAfter } from './store-status.ts';

/** Told of every decision before it is carried out. */
export type Witness = (decision: Decision) => void;

/**
 * Carries out what the core decides until the real controllers do: observe, decide, record, act, every 5 s while anything leaves and every
 * 30 s otherwise, or when the decision asks to be woken. It holds no opinion of its own.
 */
export class StandIn {
  readonly #cluster: EmbeddedCluster;
  readonly #store: ReplicatedStore;
  readonly #client: KubeClient;
  readonly #witness: Witness;
  readonly #stop = new AbortController();
  #recorded: Recorded = nothingRecorded;
  #spec: ClusterSpec;
  #timer: Timer | undefined;

  constructor(
    cluster: EmbeddedCluster,
    store: ReplicatedStore,
    client: KubeClient,
    spec: ClusterSpec,
    witness: Witness,
  ) {
    this.#cluster = cluster;
    this.#store = store;
    this.#client = client;
    this.#spec = spec;
    this.#witness = witness;
  }

  get recorded(): Recorded {
    return this.#recorded;
  }

  /** Runs until `stop`. What a round throws is a defect and ends the simulation through `onDefect`. */
  start(onDefect: (error: unknown) => void): void {
    const { clock } = this.#cluster.world;
    const round = () => {
      this.#round().then(
        (pause) => {
          if (!this.#stop.signal.aborted) this.#timer = clock.after(millis(pause), round);
        },
        (error: unknown) => {
          if (!this.#stop.signal.aborted) onDefect(error);
        },
      );
    };
    round();
  }

  stop(): void {
    this.#stop.abort();
    this.#timer?.cancel();
  }

  /** Somebody wants these pods gone, or still does. */
  ask(asks: readonly Ask[]): void {
    const known = new Map(this.#recorded.asks.map((ask) => [ask.pod, ask]));
    for (const ask of asks) known.set(ask.pod, { ...ask, since: known.get(ask.pod)?.since ?? ask.since });
    this.#recorded = { ...this.#recorded, asks: [...known.values()] };
  }

  /** Nobody wants them gone any more. */
  withdraw(node: string): void {
    this.#recorded = { ...this.#recorded, asks: this.#recorded.asks.filter((ask) => ask.node !== node) };
  }

  /** How long until the next round, in milliseconds. */
  async #round(): Promise<number> {
    const snapshot = observe(this.#cluster.world, this.#store, this.#spec, this.#recorded);
    const decision = decide(snapshot);
    this.#witness(decision);
    // The record comes first.
    this.#recorded = recordedAfter(snapshot, decision.records, this.#recorded.forgotten);
    for (const action of decision.actions) await this.#act(action);
    const leaving = isUnreachable(snapshot.topology) || this.#recorded.rows.some(({ removal }) => removal !== null);
    const usual = leaving || this.#recorded.asks.length > 0 ? seconds(5) : seconds(30);
    const wake = decision.wakeAt === undefined ? usual : decision.wakeAt - snapshot.now;
    return Math.max(100, Math.min(usual, wake));
  }

  async #act(action: Action): Promise<void> {
    try {
      await this.#carryOut(action);
    } catch (error) {
      // A lost race, an engine that says no or nothing: the next decision sees what came of it.
      if (isConflict(error) || isNotFound(error) || error instanceof EngineRefusal || error instanceof EngineSilence)
        return;
      throw error;
    }
  }

  async #carryOut(action: Action): Promise<void> {
    const options = { signal: this.#stop.signal };
    switch (action.act) {
      case 'create':
        if (action.what === 'pod')
          await this.#client.create(pods, podFor(action.group, this.#row(action.group)?.role ?? ''), options);
        if (action.what === 'claim') await this.#client.create(claims, claimFor(action.group), options);
        return;
      case 'delete-pod':
        return this.#client.delete(
          pods,
          { namespace, name: action.group },
          { ...options, preconditions: { uid: action.pod.uid } },
        );
      case 'delete-group':
        if (action.pod !== null) {
          await this.#client.delete(
            pods,
            { namespace, name: action.group },
            { ...options, preconditions: { uid: action.pod.uid } },
          );
        }
        return this.#client.delete(claims, { namespace, name: action.group }, options);
      case 'let-go':
        return this.#client.evict(
          { namespace, name: action.group },
          { ...options, preconditions: { uid: action.pod.uid } },
        );
      case 'close':
        this.#close(action.group);
        return;
      case 'hand-off':
        for (const process of action.processes) this.#store.handOff(process);
        return;
      case 'evacuate':
        for (const process of action.processes) this.#store.evacuate(process);
        return;
      case 'cancel-evacuation':
        for (const process of action.processes) this.#store.cancelEvacuation(process);
        return;
      case 'forget':
        for (const process of action.processes) this.#store.forget(process);
        this.#recorded = { ...this.#recorded, forgotten: [...this.#recorded.forgotten, action.group] };
        return;
      case 'maintenance-on':
      case 'maintenance-off':
        return;
    }
  }

  #row(id: ProcessGroupId) {
    return this.#recorded.rows.find((row) => row.id === id);
  }

  #close(group: ProcessGroupId): void {
    const closedAt = instant(this.#cluster.world.clock.now());
    const grants = this.#recorded.grants.map((grant) =>
      grant.group === group && grant.closedAt === null ? { ...grant, closedAt } : grant,
    );
    this.#recorded = { ...this.#recorded, grants };
  }
}
