import { isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Survey } from '../rules/survey.ts';
import { rulesOf } from './role-of.ts';

/** How many processes of a process group the engine should list. */
export function expectedProcesses(survey: Survey, group: ProcessGroup): number {
  const { snapshot } = survey;
  if (rulesOf(survey, group)?.unlisted === true) return 0;
  const wanted = snapshot.spec.roles.find(({ name }) => name === group.role)?.shape;
  return group.pod?.shape.processesPerPod ?? wanted?.processesPerPod ?? 1;
}

/** Every process of the pod answers, and is this pod's own: one that started before the pod was made is what the engine remembers. */
export function allReport(survey: Survey, group: ProcessGroup): boolean {
  const { pod } = group;
  if (pod === null) return false;
  const reporting = (survey.engine.processesOf.get(group.id) ?? []).filter(
    ({ responds, startedAt }) => isTrue(responds) && (startedAt === null || startedAt >= pod.createdAt),
  );
  return reporting.length >= expectedProcesses(survey, group);
}
