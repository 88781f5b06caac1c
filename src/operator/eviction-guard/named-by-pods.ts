import type { Engine, Target } from '../../engines/engine.ts';
import { EngineRefused } from '../../engines/engine.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Process } from '../../model/topology.ts';
import type { EngineSurroundings } from '../engine-room/engine-source.ts';
import { hostOf } from './host-of.ts';

/**
 * An engine that names process groups by itself, as FoundationDB does by its instance ids, for pods that somebody else named: what it says is said of
 * the pods that its processes run in, by their addresses, and what it is told is told of its own names.
 */
export function namedByPods(engine: Engine, { groupAt }: Pick<EngineSurroundings, 'groupAt'>): Engine {
  /** What the engine calls what runs in a pod, as of its last answer. */
  let ownNames = new Map<ProcessGroupId, ProcessGroupId>();
  const own = (target: Target): Target => {
    const group = ownNames.get(target.group);
    if (group === undefined) throw new EngineRefused(`the engine has no name for what runs in ${target.group}`);
    return { ...target, group };
  };
  return {
    async observe(signal) {
      const { topology, jobs } = await engine.observe(signal);
      const podOf = new Map<ProcessGroupId, ProcessGroupId>();
      const processes = topology.processes.map((process): Process => {
        const pod = atAddressOf(process, groupAt);
        if (pod !== undefined && process.group !== null) podOf.set(process.group, pod);
        return { ...process, group: pod ?? null };
      });
      ownNames = new Map([...podOf].map(([own, pod]) => [pod, own]));
      const known = jobs.flatMap((job) => {
        const group = podOf.get(job.group);
        return group === undefined ? [] : [{ ...job, group }];
      });
      return { topology: { ...topology, processes }, jobs: known };
    },
    // By its processes: the group may also be a quorum.
    ...(engine.handOff !== undefined && { handOff: async (target, signal) => engine.handOff?.(target, signal) }),
    ...(engine.evacuate !== undefined && {
      evacuate: async (target, signal) => engine.evacuate?.(own(target), signal),
    }),
    ...(engine.cancelEvacuation !== undefined && {
      cancelEvacuation: async (target, signal) => engine.cancelEvacuation?.(own(target), signal),
    }),
    ...(engine.forget !== undefined && { forget: async (target, signal) => engine.forget?.(own(target), signal) }),
  };
}

function atAddressOf({ addresses }: Process, groupAt: EngineSurroundings['groupAt']): ProcessGroupId | undefined {
  for (const address of addresses) {
    const pod = groupAt(hostOf(address));
    if (pod !== undefined) return pod;
  }
  return undefined;
}
