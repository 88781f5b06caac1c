import type { Engine } from '../../engines/engine.ts';
import type { Action } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';

/** Tells the engine what an action asks of it. An action that is not about the engine, and a verb that it does not have, are nothing to do. */
export async function actOnEngine(engine: Engine, action: Action, signal: AbortSignal): Promise<void> {
  switch (action.act) {
    case 'hand-off':
      return engine.handOff?.({ ...action, addresses: [] }, signal);
    case 'evacuate':
      return engine.evacuate?.(action, signal);
    case 'cancel-evacuation':
      return engine.cancelEvacuation?.(action, signal);
    case 'forget':
      return engine.forget?.(action, signal);
    case 'reseat':
      // No process group is meant: what else may be on one is not to move.
      return engine.handOff?.({ group: name(action.quorum), processes: action.processes, addresses: [] }, signal);
    case 'maintenance-on':
      return engine.maintenance?.(action, signal);
    case 'maintenance-off':
      return engine.maintenance?.(null, signal);
    default:
  }
}
