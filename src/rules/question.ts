import type { RoleSpec } from '../model/cluster-spec.ts';
import type { ProcessId } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Process, Quorum } from '../model/topology.ts';
import type { Held, Survey } from './survey.ts';

/** May this process group go now that others have been let go? All its processes leave with it. */
export interface Question {
  /** `eviction`: the pod leaves and comes back. `replacement`: its data and its identity leave for good. */
  readonly about: 'eviction' | 'replacement';
  readonly survey: Survey;
  readonly group: ProcessGroup;
  /** As the engine lists them: none, one or several. */
  readonly processes: readonly Process[];
  readonly own: ReadonlySet<ProcessId>;
}

export function askAbout(about: Question['about'], survey: Survey, group: ProcessGroup): Question {
  const processes = survey.engine.processesOf.get(group.id) ?? [];
  return { about, survey, group, processes, own: new Set(processes.map(({ id }) => id)) };
}

/** Let go already, or leaving with this group: counted as gone everywhere, whatever the engine still says. */
export const isGone = ({ survey, own }: Question, process: ProcessId): boolean =>
  own.has(process) || survey.gone.has(process);

/** Every copy on the processes of the group. */
export const heldBy = ({ survey, own }: Question): readonly Held[] => ofEach(own, survey.engine.heldBy);

/** What an index has for each of some processes. Nearly always it is one, and then nothing is copied. */
export function ofEach<T>(
  processes: ReadonlySet<ProcessId>,
  index: ReadonlyMap<ProcessId, readonly T[]>,
): readonly T[] {
  let all: readonly T[] = [];
  for (const process of processes) {
    const some = index.get(process);
    if (some !== undefined) all = all.length === 0 ? some : [...all, ...some];
  }
  return all;
}

/** The quorums that processes of the group belong to, each once, sorted by id. */
export function quorumsOf({ survey, own }: Question): readonly Quorum[] {
  const quorums = ofEach(own, survey.engine.quorumsOf);
  return quorums.length < 2 ? quorums : [...new Set(quorums)].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export const roleSpecOf = ({ survey, group }: Question): RoleSpec | undefined =>
  survey.snapshot.spec.roles.find(({ name }) => name === group.role);

/** As people know it: by its process group, and by the engine's name only where it has none. */
export const labelOf = (survey: Survey, process: ProcessId): string =>
  survey.engine.processes.get(process)?.group ?? process;

/** By its process group, as far as it has one: that is what its rules are chosen by. */
export function roleOf(survey: Survey, id: ProcessId): string {
  const process = survey.engine.processes.get(id);
  const group = process === undefined || process.group === null ? undefined : survey.groups.get(process.group);
  return group?.role ?? process?.role ?? '';
}
