import type { Target } from '../../engines/engine.ts';
import type { Clock, Timer } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { Transport, TransportRequest } from '../../kube/transport.ts';
import type { Decision } from '../../model/decision.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Verb } from './faulty-engine.ts';
import { faultyEngine } from './faulty-engine.ts';
import type { WireState } from './faulty-transport.ts';
import { faultyTransport } from './faulty-transport.ts';
import type { EngineFault } from './happenings.ts';
import { oneMoment } from './one-moment.ts';
import { SkewedClock } from './skewed-clock.ts';
import type { Life, Subject, Surroundings } from './subject.ts';

/** What the operator does, as the judge hears of it. */
export interface OperatorWitness {
  decided(snapshot: Snapshot, decision: Decision): void;
  /** Before a write reaches the API server. */
  writes(request: TransportRequest): void;
  /** Before the engine hears it. */
  speaks(verb: Verb, target: Target | null): void;
  /** So many requests, and it is still the same moment. */
  circles(requests: number): void;
  /** It ended by itself: a defect. */
  failed(error: unknown): void;
}

export interface OperatorOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly subject: Pick<Subject, 'live'>;
  readonly witness: OperatorWitness;
}

/** A kill that waits for its write. */
interface Death {
  writesLeft: number;
  readonly landed: boolean;
  readonly downFor: number;
}

/** The operator as a process: it runs, is killed in the middle of a write, and is started again knowing nothing. */
export class SimulatedOperator {
  readonly #options: OperatorOptions;
  readonly #clock: SkewedClock;
  readonly wire = new Map<Parameters<WireState['get']>[0], number>();
  readonly engineFaults = new Set<EngineFault>();
  #life: { readonly end: AbortController; readonly life: Life } | undefined;
  #death: Death | undefined;
  #rebirth: Timer | undefined;
  #writes = 0;

  constructor(options: OperatorOptions) {
    this.#options = options;
    this.#clock = new SkewedClock(options.clock);
  }

  /** How many writes and verbs it has got through. */
  get writes(): number {
    return this.#writes;
  }

  /** Between seeing and doing. */
  get isAtWork(): boolean {
    return this.#life?.life.isAtWork === true;
  }

  skew(by: number): void {
    this.#clock.skew = by;
  }

  start(): void {
    this.#rebirth = undefined;
    if (this.#life === undefined) this.#live();
  }

  /** It dies at its so many-th write from now on. */
  killAt(write: number, landed: boolean, downFor: number): void {
    this.#death = { writesLeft: write, landed, downFor };
  }

  /** No kill is waiting any more; if it is down, it comes back. */
  spare(): void {
    this.#death = undefined;
    this.#rebirth?.cancel();
    this.start();
  }

  stop(): void {
    this.#rebirth?.cancel();
    this.#life?.end.abort(new Error('the simulation has ended'));
    this.#life = undefined;
  }

  #live(): void {
    const { subject, witness } = this.#options;
    const end = new AbortController();
    const life = subject.live(this.#surroundings(end), end.signal);
    this.#life = { end, life };
    life.ended.catch((error: unknown) => {
      if (!end.signal.aborted) witness.failed(error);
    });
  }

  #surroundings(end: AbortController): Surroundings {
    const { transport, random, witness } = this.#options;
    const clock = this.#clock;
    return {
      transport: faultyTransport(
        oneMoment(transport, clock, (requests) => witness.circles(requests)),
        {
          clock,
          random,
          state: () => this.wire,
          onWrite: (request, moment) => {
            // Events are told on the side: nothing depends on them.
            if (isEvent(request)) end.signal.throwIfAborted();
            else this.#onAct(end, moment, () => witness.writes(request));
          },
        },
      ),
      clock,
      random,
      over: (engine) =>
        faultyEngine(engine, {
          clock,
          random,
          state: () => this.engineFaults,
          onVerb: (verb, target, moment) => this.#onAct(end, moment, () => witness.speaks(verb, target)),
        }),
      onDecision: (snapshot, decision) => {
        if (!end.signal.aborted) witness.decided(snapshot, decision);
      },
      onDefect: (error) => witness.failed(error),
    };
  }

  /** The dead do nothing more. */
  #onAct(end: AbortController, moment: 'before' | 'after', tell: () => void): void {
    end.signal.throwIfAborted();
    if (moment === 'before' && this.#death !== undefined) this.#death.writesLeft -= 1;
    const dies = this.#death !== undefined && this.#death.writesLeft <= 0;
    if (moment === 'before' && !(dies && this.#death?.landed === false)) {
      this.#writes += 1;
      tell();
    }
    if (dies && this.#death?.landed === (moment === 'after')) this.#die(end, this.#death.downFor);
  }

  #die(end: AbortController, downFor: number): void {
    this.#death = undefined;
    this.#life = undefined;
    this.#rebirth = this.#options.clock.after(seconds(downFor), () => this.start());
    end.abort(new Error('the operator was killed'));
    end.signal.throwIfAborted();
  }
}

const isEvent = ({ path }: TransportRequest): boolean => /\/events(?:\/|\?|$)/.test(path);
