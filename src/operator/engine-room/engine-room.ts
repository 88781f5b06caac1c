import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import type { Engine, Observation } from '../../engines/engine.ts';
import { EngineUnreachable } from '../../engines/engine.ts';
import type { Clock, Millis, MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, millis, seconds } from '../../kube/clock.ts';
import { describeError } from '../../kube/error-description.ts';
import type { KeyText } from '../../kube/object.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { Topology, Unreachable } from '../../model/topology.ts';
import { momentOf } from '../status/moments.ts';
import type { EngineSources, EngineSubject, Surroundings } from './engine-source.ts';

/** Whoever has an engine, and what its status says of it. */
type Seated = EngineSubject & { readonly status: { readonly conditions: readonly Condition[] } };

/** What was heard of an engine. */
export interface Heard {
  readonly topology: Topology | Unreachable;
  readonly jobs: readonly Job[];
}

/** An engine that is spoken to, and what it last said. */
interface Seat {
  readonly engine: Engine;
  /** The part of the spec that it was made from. */
  readonly madeFrom: string;
  /** Those of the last look: what is on record changes from one to the next. */
  surroundings: Surroundings;
  /** Those that go by the last decision. */
  leaving: ReadonlySet<ProcessGroupId>;
  heard: { readonly observation: Observation; readonly at: MonotonicMillis } | undefined;
  silentSince: Instant | undefined;
  /** What it last said was taken for what it says now. */
  isRepeated: boolean;
  /** How often in a row it was asked and said nothing. */
  silences: number;
}

/** How soon an engine is to be listened to again, if nothing happens before. */
export interface Patience {
  /** With one that says nothing. */
  readonly withSilence: Millis;
  /** With one that was not asked because it had just answered: whatever the look was for may have happened since. */
  readonly withRepeated: Millis | undefined;
}

/** Until an engine that says nothing is asked again, if nothing happens before. */
const patience = [5, 10, 20].map(seconds);
const longestPatience = seconds(30);

/** An answer younger than this is not asked for again: pods that come and go ask for a look several times a second. */
const goodFor = seconds(2);

/** The engines of all clusters, each made once and kept for as long as its part of the spec stays. */
export class EngineRoom {
  readonly #sources: EngineSources;
  readonly #clock: Clock;
  readonly #seats = new Map<KeyText, Seat>();

  constructor(sources: EngineSources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /** The engine of a cluster; undefined: there is none for its type. */
  engineOf(cluster: Seated, surroundings: Surroundings): Engine | undefined {
    const source = this.#sources[cluster.spec.engine.type];
    if (source === undefined) return undefined;
    const madeFrom = JSON.stringify([cluster.uid, cluster.spec.engine]);
    const known = this.#seats.get(cluster.key);
    if (known?.madeFrom === madeFrom) {
      known.surroundings = surroundings;
      return known.engine;
    }
    const now = () => this.#seats.get(cluster.key)?.surroundings ?? surroundings;
    const engine = source(cluster, {
      connectionString: () => now().connectionString(),
      groupAt: (host) => now().groupAt(host),
      leaves: (group) => this.#seats.get(cluster.key)?.leaving.has(group) === true,
      pods: () => now().pods(),
      run: (pod, options) => now().run(pod, options),
    });
    this.#seats.set(cluster.key, {
      engine,
      madeFrom,
      surroundings,
      leaving: new Set(),
      heard: undefined,
      isRepeated: false,
      silentSince: silentSince(cluster),
      silences: 0,
    });
    return engine;
  }

  /** What the engine says now, or said a moment ago. Silence is an answer too. */
  async listen(key: KeyText, signal: AbortSignal): Promise<Heard> {
    const seat = this.#seats.get(key);
    if (seat === undefined) throw new Error(`${key} has no engine`);
    seat.isRepeated = seat.heard !== undefined && elapsed(this.#clock, seat.heard.at) < goodFor;
    if (seat.heard !== undefined && seat.isRepeated) return seat.heard.observation;
    const at = this.#clock.monotonic();
    try {
      const observation = await seat.engine.observe(signal);
      seat.heard = { observation, at };
      seat.silentSince = undefined;
      seat.silences = 0;
      return observation;
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      seat.silences += 1;
      return this.silence(key, describeError(error).message);
    }
  }

  /** The engine says nothing, for this reason; since when is remembered until it says something. */
  silence(key: KeyText, why: string): Heard & { readonly topology: Unreachable } {
    const seat = this.#seats.get(key);
    const since = seat?.silentSince ?? instant(this.#clock.now());
    if (seat !== undefined) seat.silentSince = since;
    return { topology: { unreachable: why, since }, jobs: [] };
  }

  /** One that says nothing is asked again soon at first, then more and more seldom. */
  patienceWith(key: KeyText): Patience {
    const { silences = 0, heard, isRepeated = false } = this.#seats.get(key) ?? {};
    const withSilence = patience[Math.max(0, silences - 1)] ?? longestPatience;
    if (heard === undefined || !isRepeated) return { withSilence, withRepeated: undefined };
    return { withSilence, withRepeated: millis(Math.max(0, goodFor - elapsed(this.#clock, heard.at))) };
  }

  /** What was decided about: nothing new is put on these. */
  spare(key: KeyText, leaving: ReadonlySet<ProcessGroupId>): void {
    const seat = this.#seats.get(key);
    if (seat !== undefined) seat.leaving = leaving;
  }

  /** It was told something: what it said before is old. */
  stir(key: KeyText): void {
    const seat = this.#seats.get(key);
    if (seat !== undefined) seat.heard = undefined;
  }

  /** The cluster is gone. */
  leave(key: KeyText): void {
    this.#seats.delete(key);
  }
}

/** Since when it says nothing by what is on record: an operator that has just begun goes on from there. */
function silentSince({ status }: Seated): Instant | undefined {
  const silent = status.conditions.find(
    (one) => tellsOfEngine.has(one.type) && one.status === 'Unknown' && one.reason === 'EngineUnreachable',
  );
  return silent === undefined ? undefined : momentOf(silent.lastTransitionTime);
}

/** The conditions of the two kinds that say whether the engine answers. */
const tellsOfEngine: ReadonlySet<string> = new Set(['Ready', 'Healthy']);
