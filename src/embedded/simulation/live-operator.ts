import type { Engine } from '../../engines/engine.ts';
import type { Clock, MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, seconds } from '../../kube/clock.ts';
import { ConnectionLost, KubeApiError, RequestTimeout } from '../../kube/errors.ts';
import type { Logger } from '../../kube/log.ts';
import type { EngineSource, EngineSources } from '../../operator/engine-room/engine-source.ts';
import type { Desk } from '../../operator/lock/desk.ts';
import { runEmbeddedOperator } from '../operated/embedded-operator.ts';
import type { Life, Surroundings } from './subject.ts';
import { leavingKey } from './taint-key.ts';

/** One life of the operator's own controllers, all of them, with the engines that they can speak to. */
export function liveOperator(
  surroundings: Surroundings,
  engines: EngineSources,
  desk: Desk,
  signal: AbortSignal,
): Life {
  const { transport, clock, random, over, onDecision, onDefect } = surroundings;
  let looks = 0;
  const memory = new EngineMemory(clock);
  const witness = {
    looks() {
      looks += 1;
      return () => {
        looks -= 1;
      };
    },
    decided: onDecision,
  };
  const sources = Object.entries(engines).map(([type, source]) => [
    type,
    (...asked: Parameters<EngineSource>) => memory.of(over(source(...asked))),
  ]);
  const options = { transport, clock, random, desk, witness, leavingTaints: [leavingKey] };
  const logger = defectLogger(onDefect, signal);
  return {
    ended: runEmbeddedOperator({ ...options, logger, engines: Object.fromEntries(sources) }, signal),
    get isAtWork() {
      return looks > 0 || memory.isFresh;
    },
  };
}

/** What the engine said may be used for so long. Said once more here, so that a memory that is too long is found and not waited for. */
const goodFor = seconds(2);

/** What the engine said is used for a moment longer: until then the next look is as old as the last one. */
class EngineMemory {
  readonly #clock: Clock;
  #heardAt: MonotonicMillis | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFresh(): boolean {
    return this.#heardAt !== undefined && elapsed(this.#clock, this.#heardAt) <= goodFor;
  }

  of(engine: Engine): Engine {
    const observe: Engine['observe'] = async (signal) => {
      this.#heardAt = this.#clock.monotonic();
      return engine.observe(signal);
    };
    return Object.create(engine, { observe: { value: observe } });
  }
}

/** Hears of what was logged as an error, where neither the network nor the API server can be blamed for it. */
function defectLogger(onDefect: (error: unknown) => void, signal: AbortSignal): Logger {
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, { error } = {}) => {
      const isBlameless =
        error instanceof KubeApiError || error instanceof ConnectionLost || error instanceof RequestTimeout;
      if (!isBlameless && !signal.aborted) onDefect(error ?? new Error(message));
    },
    with: () => logger,
  };
  return logger;
}
