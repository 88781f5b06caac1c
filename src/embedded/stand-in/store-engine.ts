import type { Engine, Target } from '../../engines/engine.ts';
import { EngineRefused, EngineUnreachable } from '../../engines/engine.ts';
import type { ProcessId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import { instant } from '../../model/time.ts';
import { isUnreachable } from '../../model/topology.ts';
import { EngineRefusal, EngineSilence } from '../engines/model-engine.ts';
import type { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';

/** How soon a job that failed is begun again. */
const retryAfter = 60_000;

/** The replicated store as an engine. It is read and told directly: there is no wire between. */
export function storeEngine(store: ReplicatedStore): Engine {
  const toEach = (verb: (process: ProcessId) => void) => async (target: Target) =>
    translated(() => target.processes.forEach(verb));
  return {
    observe: async () =>
      translated(() => {
        const topology = store.topology();
        if (isUnreachable(topology)) throw new EngineUnreachable(topology.unreachable);
        return { topology, jobs: jobsOf(store) };
      }),
    handOff: toEach((process) => store.handOff(process)),
    evacuate: toEach((process) => store.evacuate(process)),
    cancelEvacuation: toEach((process) => store.cancelEvacuation(process)),
    forget: toEach((process) => store.forget(process)),
  };
}

function jobsOf(store: ReplicatedStore): Job[] {
  return store.jobs().flatMap(({ verb, process, state, since, message }): Job[] => {
    if (state === 'Cancelled') return [];
    const retryAt = state === 'Failed' ? instant(since + retryAfter) : null;
    return [
      { attempts: 1, percent: null, secondsLeft: null, verb, group: name(process), state, since, retryAt, message },
    ];
  });
}

/** In the words of engines. */
function translated<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof EngineRefusal) throw new EngineRefused(error.message, { cause: error });
    if (error instanceof EngineSilence) throw new EngineUnreachable(error.message, { cause: error });
    throw error;
  }
}
