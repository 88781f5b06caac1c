import type { RoleSpec } from '../model/cluster-spec.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { RoleRules } from '../model/role-rules.ts';
import { rulesFor } from '../rules/role-table.ts';
import type { Survey } from '../rules/survey.ts';
import type { TooFewZones } from './another-zone.ts';
import { lacksOneElsewhere, tooFewZonesToLeave } from './another-zone.ts';
import { isInFlight } from './in-flight.ts';
import { isMarked } from './marked.ts';

/** A role that has fewer process groups than the spec asks for; those that leave do not count. */
export interface Shortage {
  readonly role: RoleSpec;
  readonly have: number;
  /** At least one. */
  readonly missing: number;
  /** Those that leave and have no successor yet, at most as many as are missing. */
  readonly waiting: readonly ProcessGroup[];
  /** There are as many as the spec asks for, in too few zones for another one to leave. */
  readonly elsewhere: TooFewZones | undefined;
}

/** The roles that lack process groups, by name. */
export function shortages(survey: Survey): readonly Shortage[] {
  const { spec, processGroups } = survey.snapshot;
  const groups = Map.groupBy(processGroups, ({ role }) => role);
  const inFlight = processGroups.filter(isMarked).filter(isInFlight);
  const leaving = Map.groupBy(
    inFlight.sort((a, b) => a.removal.at - b.removal.at || (a.id < b.id ? -1 : 1)),
    ({ role }) => role,
  );
  return spec.roles
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((role) => {
      const rules = rulesFor(spec.engine, role.name);
      const have = (groups.get(role.name) ?? []).filter((group) => takesUpAPlace(group, rules)).length;
      const elsewhere = lacksOneElsewhere(survey, role) ? tooFewZonesToLeave(survey, role) : undefined;
      const missing = elsewhere === undefined ? role.count - have : 1;
      // Those that were marked last have no successor yet.
      const waiting = missing > 0 ? (leaving.get(role.name) ?? []).slice(-missing) : [];
      return missing > 0 ? [{ role, have, missing, waiting, elsewhere }] : [];
    });
}

/** Marked ones do not, unless they come back under the same id. */
const takesUpAPlace = ({ removal }: ProcessGroup, rules: RoleRules | undefined): boolean =>
  removal === null || (rules?.replacedAs === 'same-id-wiped' && removal.cause !== 'Shrink');
