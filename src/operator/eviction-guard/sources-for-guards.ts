import type { Engine } from '../../engines/engine.ts';
import { EngineUnreachable } from '../../engines/engine.ts';
import type { EngineType } from '../../model/cluster-spec.ts';
import { engineTypes } from '../../model/cluster-spec.ts';
import type { EngineSource, EngineSources } from '../engine-room/engine-source.ts';
import { namedByPods } from './named-by-pods.ts';

/**
 * The engines that can be spoken to, and a silent one for every other type: what cannot be asked never says yes, so its pods stay locked, and the
 * words say how to get out.
 */
export function sourcesForGuards(sources: EngineSources): EngineSources {
  const { foundationdb } = sources;
  return {
    ...Object.fromEntries(engineTypes.map((type) => [type, sources[type] ?? silent(type)])),
    ...(foundationdb !== undefined && { foundationdb: byPods(foundationdb) }),
  };
}

/** For engines that know process groups by names of their own. */
const byPods =
  (source: EngineSource): EngineSource =>
  (subject, surroundings) =>
    namedByPods(source(subject, surroundings), surroundings);

function silent(type: EngineType): EngineSource {
  const why = `this version of Drover has no engine for ${type}, so its pods stay locked; delete the guard to unlock them`;
  const engine: Engine = { observe: () => Promise.reject(new EngineUnreachable(why)) };
  return () => engine;
}
