import { isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Process } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { rulesOf } from './role-of.ts';

/** How many processes of a process group the engine should list. */
export function expectedProcesses(survey: Survey, group: ProcessGroup): number {
  const { snapshot } = survey;
  if (rulesOf(survey, group)?.unlisted === true) return 0;
  const wanted = snapshot.spec.roles.find(({ name }) => name === group.role)?.shape;
  return group.pod?.shape.processesPerPod ?? wanted?.processesPerPod ?? 1;
}

const responding = ({ engine }: Survey, { id }: ProcessGroup): readonly Process[] =>
  (engine.processesOf.get(id) ?? []).filter(({ responds }) => isTrue(responds));

/** As many processes as the pod should have answer. */
export const allRespond = (survey: Survey, group: ProcessGroup): boolean =>
  responding(survey, group).length >= expectedProcesses(survey, group);

/** The same, and each is this pod's own: one that started before the pod was made is what the engine remembers. */
export function allReport(survey: Survey, group: ProcessGroup): boolean {
  const { pod } = group;
  if (pod === null) return false;
  const own = responding(survey, group).filter(({ startedAt }) => startedAt === null || startedAt >= pod.createdAt);
  return own.length >= expectedProcesses(survey, group);
}
