import type { Engine, Target } from '../../engines/engine.ts';
import { EngineUnreachable } from '../../engines/engine.ts';
import type { Clock } from '../../kube/clock.ts';
import { seconds, sleep } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import type { EngineFault } from './happenings.ts';

export type Verb = Exclude<keyof Engine, 'observe' | 'bootstrap' | 'connectionString'>;

export interface FaultyEngineOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly state: () => ReadonlySet<EngineFault>;
  /** Called before the engine hears a verb, and after. Throws where the one who spoke is dead by then. `target` is null for maintenance. */
  readonly onVerb: (verb: Verb, target: Target | null, moment: 'before' | 'after') => void;
}

/** An engine at the other end of a bad line. That it is silent, or says only half, the model does itself. */
export function faultyEngine(engine: Engine, options: FaultyEngineOptions): Engine {
  const { clock, random, state, onVerb } = options;
  const pause = async (signal: AbortSignal): Promise<void> => {
    if (state().has('slow')) await sleep(clock, seconds(randomInteger(random, 1, 30)), signal);
  };
  const say = async (
    verb: Verb,
    target: Target | null,
    signal: AbortSignal,
    speak: () => Promise<void> | undefined,
  ) => {
    await pause(signal);
    onVerb(verb, target, 'before');
    await speak();
    onVerb(verb, target, 'after');
    if (state().has('answer-lost') && random.next() < 0.5) throw new EngineUnreachable('the answer was lost');
  };
  return {
    get connectionString() {
      return engine.connectionString ?? null;
    },
    bootstrap: async (signal) => engine.bootstrap?.(signal),
    async observe(signal) {
      const seen = await engine.observe(signal);
      // The answer is old when it arrives.
      await pause(signal);
      return seen;
    },
    handOff: (target, signal) => say('handOff', target, signal, () => engine.handOff?.(target, signal)),
    evacuate: (target, signal) => say('evacuate', target, signal, () => engine.evacuate?.(target, signal)),
    cancelEvacuation: (target, signal) =>
      say('cancelEvacuation', target, signal, () => engine.cancelEvacuation?.(target, signal)),
    forget: (target, signal) => say('forget', target, signal, () => engine.forget?.(target, signal)),
    maintenance: (window, signal) => say('maintenance', null, signal, () => engine.maintenance?.(window, signal)),
  };
}
