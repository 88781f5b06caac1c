import type { RoleSpec } from '../model/cluster-spec.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { RoleRules } from '../model/role-rules.ts';
import { rulesIn } from '../rules/role-table.ts';
import type { Survey } from '../rules/survey.ts';

/** What the spec says of the role of a process group; undefined where the role was taken out of the spec. */
export function roleOf({ snapshot }: Survey, { role }: ProcessGroup): RoleSpec | undefined {
  return snapshot.spec.roles.find(({ name }) => name === role);
}

/** What the engine says of the role of a process group; undefined where it knows no such role. */
export function rulesOf({ snapshot }: Survey, { role }: ProcessGroup): RoleRules | undefined {
  return rulesIn(snapshot, role);
}
