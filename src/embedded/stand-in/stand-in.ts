import { decide } from '../../decide.ts';
import type { Engine } from '../../engines/engine.ts';
import { EngineRefused, EngineUnreachable } from '../../engines/engine.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { millis, seconds, sleep } from '../../kube/clock.ts';
import { describeError } from '../../kube/error-description.ts';
import {
  ConnectionLost,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  isOutcomeUnknown,
  isTooManyRequests,
} from '../../kube/errors.ts';
import type { Random } from '../../kube/random.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Action, Decision } from '../../model/decision.ts';
import type { ClusterKey, ProcessGroupId } from '../../model/ids.ts';
import type { Ask, Job, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { Topology, Unreachable } from '../../model/topology.ts';
import { isUnreachable } from '../../model/topology.ts';
import { actOnEngine } from '../../operator/engine-room/act-on-engine.ts';
import { OwnDeletes } from '../../operator/stateful-cluster/own-deletes.ts';
import { jobFor, jobsNeeded } from '../../operator/status/jobs-told.ts';
import { actOnKubernetes } from './act-on-kubernetes.ts';
import { Objects } from './objects.ts';
import type { Recorded } from './record.ts';
import { RecordKeeper, recordedAfter } from './record.ts';

/** What people want of a database, wherever they wrote it down. */
export interface Wishes {
  readonly spec: ClusterSpec;
  readonly asks: readonly Ask[];
}

export interface StandInOptions {
  readonly cluster: ClusterKey;
  readonly namespace: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly engine: Engine;
  readonly wishes: () => Wishes;
  /** Told of every decision before anything is recorded or done on its account. */
  readonly onDecision?: (snapshot: Snapshot, decision: Decision) => void;
}

/**
 * Carries out what the core decides until the real controllers do: observe, decide, record, act, every 5 s while anything leaves and every
 * 30 s otherwise, or when the decision asks to be woken. It holds no opinion of its own, and nothing that it knows is lost with it: the record
 * is an object of the API server, written before anything is done and only onto the version that was read.
 */
export class StandIn {
  readonly #options: StandInOptions;
  readonly #objects: Objects;
  readonly #keeper: RecordKeeper;
  /** Since when the engine has said nothing. */
  #silentSince: Instant | undefined;
  #isAtWork = false;
  readonly #deletes: OwnDeletes;

  constructor(options: StandInOptions) {
    this.#options = options;
    this.#deletes = new OwnDeletes(options.clock);
    this.#objects = new Objects(options);
    this.#keeper = new RecordKeeper(options.client, options.namespace);
  }

  /** In the middle of a round: what it sees may be old, and what it decided may not be done yet. */
  get isAtWork(): boolean {
    return this.#isAtWork;
  }

  /** Runs until the signal is aborted. Rejects with what no network and no engine can be blamed for. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const keeping = this.#objects.run(signal);
    try {
      await this.#objects.synced(signal);
      while (!signal.aborted) await sleep(clock, millis(await this.#round(signal)), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await keeping;
    }
  }

  /** How long until the next round, in milliseconds. */
  async #round(signal: AbortSignal): Promise<number> {
    this.#isAtWork = true;
    try {
      return await this.#decideAndAct(signal);
    } catch (error) {
      if (!isPassing(error) && !isConflict(error)) throw error;
      // Whether the last write was done is not known: look again.
      this.#keeper.forget();
      return seconds(1 + this.#options.random.next());
    } finally {
      this.#isAtWork = false;
    }
  }

  async #decideAndAct(signal: AbortSignal): Promise<number> {
    const recorded = await this.#keeper.read(signal);
    const seen = await this.#askEngine(signal);
    const snapshot = this.#snapshot(recorded, seen);
    const decision = decide(snapshot);
    this.#options.onDecision?.(snapshot, decision);
    const after = recordedAfter(snapshot, decision.records, recorded);
    const isMadeAgain = (group: ProcessGroupId) =>
      after.rows.some(({ id, removal }) => id === group && removal === null);
    // The record comes first.
    await this.#keeper.write(after, signal);
    for (const action of decision.actions) await this.#act(action, isMadeAgain, signal);

    const isLeaving = isUnreachable(snapshot.topology) || after.rows.some(({ removal }) => removal !== null);
    const usual = isLeaving || snapshot.asks.length > 0 ? seconds(5) : seconds(30);
    const wake = decision.wakeAt === undefined ? usual : decision.wakeAt - snapshot.now;
    return Math.max(100, Math.min(usual, wake));
  }

  async #askEngine(signal: AbortSignal): Promise<Seen> {
    try {
      const seen = await this.#options.engine.observe(signal);
      this.#silentSince = undefined;
      return seen;
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      this.#silentSince ??= this.#now();
      return { topology: { unreachable: describeError(error).message, since: this.#silentSince }, jobs: [] };
    }
  }

  #snapshot(recorded: Recorded, { topology, jobs }: Seen): Snapshot {
    const { spec, asks } = this.#options.wishes();
    const now = this.#now();
    const processGroups = recorded.rows.map((row) => {
      const seen = this.#objects.of(row, spec);
      return { ...row, ...seen, pod: this.#deletes.seen(this.#options.cluster, row.id, seen.pod) };
    });
    const uids = new Set(processGroups.map(({ pod }) => pod?.uid));
    return {
      cluster: this.#options.cluster,
      now,
      spec,
      processGroups,
      nodes: this.#objects.nodes(),
      topology,
      grants: recorded.grants.map((grant) => ({
        ...grant,
        goneAt: grant.goneAt ?? (uids.has(grant.pod) ? null : now),
      })),
      asks: asks.filter(({ pod }) => uids.has(pod)),
      jobs: [...jobs, ...jobsNeeded(recorded.told, recorded.rows, now)],
      nextGroupNumber: recorded.nextGroupNumber,
      lastRemovalAt: recorded.lastRemovalAt,
      maintenance: recorded.maintenance,
      share: { reserved: 'all', quota: null },
    };
  }

  /** A lost race, or an engine that says no or nothing, is no error: the next decision sees what came of it. */
  async #act(action: Action, isMadeAgain: (group: ProcessGroupId) => boolean, signal: AbortSignal): Promise<void> {
    const { cluster, engine, client, namespace, wishes } = this.#options;
    try {
      await actOnEngine(engine, action, signal);
      const work = actOnKubernetes({ client, namespace, spec: wishes().spec }, action, signal);
      await (action.act === 'delete-pod' && isMadeAgain(action.group)
        ? this.#deletes.keep(cluster, action.group, { uid: action.pod.uid, at: this.#now() }, work)
        : work);
      const told = jobFor(action, this.#now());
      if (told !== undefined) this.#keeper.noteTold(told);
      if (action.act === 'close') this.#keeper.noteClosed(action.pod.uid, this.#now());
    } catch (error) {
      const isNews = isConflict(error) || isAlreadyExists(error) || isNotFound(error) || isForbidden(error);
      if (!isNews && !(error instanceof EngineRefused) && !(error instanceof EngineUnreachable)) throw error;
    }
  }

  #now(): Instant {
    return instant(this.#options.clock.now());
  }
}

interface Seen {
  readonly topology: Topology | Unreachable;
  readonly jobs: readonly Job[];
}

/** The network or the API server had a bad moment. */
const isPassing = (error: unknown): boolean =>
  isOutcomeUnknown(error) || isTooManyRequests(error) || error instanceof ConnectionLost;
