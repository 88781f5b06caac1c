import type { ProcessGroupId, RoleName } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, earliest, latest, seconds } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { isOnItsWayOut } from './in-flight.ts';
import { isToBeKept } from './undo-evacuation.ts';
import type { PlacesForCopies } from './zones-for-copies.ts';
import { isBeingEmptied, missingSince, placesForCopies, reasonByZones } from './zones-for-copies.ts';

/** A process that went missing may be back in a moment; until then nothing else of its role is emptied. */
const missingMayReturn = seconds(300);

/** The figures that decide how many process groups of a role may begin to be emptied. */
interface RoleFigures {
  /** Those that report, the ones that are being emptied among them. */
  readonly valid: number;
  readonly desired: number;
  /** Those of the valid ones that are being emptied. */
  readonly ongoing: number;
  readonly bonus: number;
}

const toSpare = ({ valid, bonus, desired, ongoing }: RoleFigures): number => valid + bonus - desired - ongoing;

/** How many process groups of a role that still serve may begin to be emptied. */
export const allowedEvacuations = (role: RoleFigures): number => Math.max(0, toSpare(role));

/** What is left of a role while its process groups leave one after the other. */
interface RoleState extends RoleFigures {
  /** Those that are missing and may be back in a moment. */
  readonly missing: readonly ProcessGroupId[];
  /** Those that were made a moment ago, and that the engine never listed. */
  readonly coming: readonly ProcessGroupId[];
  /** When the first of both is no longer waited for, and when the last. */
  readonly missingUntil: Instant | undefined;
  readonly lastMissingUntil: Instant | undefined;
  ongoing: number;
  /** Those of the ongoing ones that are to keep their data, and are not seen to yet. */
  kept: number;
  readonly places: PlacesForCopies;
}

/**
 * Keeps enough processes of each role. A group is emptied only when its successor is up: `valid` must exceed what the spec asks for.
 *
 * The bonus is the way out of a deadlock (full quota, no node): once a process group of the role has been missing for 5 min, its successor
 * is taken for one that does not come, and as many groups may be emptied without one as the engine says zones may still fail; one, where
 * it has no such figure and every unit has all its copies. Emptying moves data, it does not take a copy away, so this costs room and not safety. The source grants the bonus always; here a successor that is
 * merely on its way is waited for.
 */
export class EvacuationBudget {
  readonly #survey: Survey;
  readonly #roles = new Map<RoleName, RoleState>();
  #groups: Map<RoleName, ProcessGroup[]> | undefined;

  constructor(survey: Survey) {
    this.#survey = survey;
  }

  /** Takes one out of the budget of its role, or says why not. */
  take(group: ProcessGroup): Reason | undefined {
    const role = this.#role(group.role);
    if (role.missingUntil !== undefined) {
      const { missing, coming, missingUntil: due } = role;
      const asked = { group: group.id, role: group.role, due };
      return missing.length > 0
        ? reasons.processesMissing({ ...asked, missing })
        : reasons.successorComing({ ...asked, coming });
    }
    // A process that is missing anyway takes nothing from its role by leaving.
    const cost = missingSince(group) === undefined ? 1 : 0;
    if (toSpare(role) < cost) {
      const need = role.desired + cost - role.bonus;
      return reasons.successorNotUp({ group: group.id, role: group.role, serving: role.valid - role.ongoing, need });
    }
    // A role that nobody wants any more is emptied to the last.
    const tooFewZones = role.desired > 0 ? reasonByZones(this.#survey, group, role.places) : undefined;
    if (tooFewZones !== undefined) return tooFewZones;
    role.ongoing += cost;
    role.places.delete(group.id);
    return undefined;
  }

  /** From when on the role lacks one that is being emptied; undefined: it can do without it. Those that were taken back are not lacking. */
  lacksSince(group: ProcessGroup): Instant | undefined {
    const role = this.#role(group.role);
    const cost = isToBeKept(this.#survey, group) ? 1 : 0;
    if (missingSince(group) !== undefined || toSpare(role) + role.kept >= cost) return undefined;
    return role.lastMissingUntil ?? this.#survey.snapshot.now;
  }

  /** One that is being emptied is to keep its data. */
  giveBack(group: ProcessGroup): void {
    if (!isToBeKept(this.#survey, group)) this.#role(group.role).kept += 1;
  }

  #role(name: RoleName): RoleState {
    const known = this.#roles.get(name);
    if (known !== undefined) return known;
    const state = roleState(this.#survey, name, this.#groupsOf(name));
    this.#roles.set(name, state);
    return state;
  }

  #groupsOf(name: RoleName): readonly ProcessGroup[] {
    this.#groups ??= Map.groupBy(this.#survey.snapshot.processGroups, ({ role }) => role);
    return this.#groups.get(name) ?? [];
  }
}

function roleState(survey: Survey, name: RoleName, all: readonly ProcessGroup[]): RoleState {
  const { now, spec } = survey.snapshot;
  const groups = all.filter((group) => !isOnItsWayOut(group));
  const missing = groups.flatMap((group) => {
    const since = missingSince(group)?.since;
    if (since === undefined) return [];
    const isNew = spec.ownsPods && group.addresses.length === 0;
    return [{ id: group.id, isNew, until: dueAt(since, missingMayReturn) }];
  });
  const ongoing = groups.filter((group) => missingSince(group) === undefined && isBeingEmptied(survey, group));
  const young = missing.filter(({ until }) => now < until);
  return {
    valid: groups.length - missing.length,
    desired: spec.roles.find((role) => role.name === name)?.count ?? 0,
    bonus: missing.length > 0 ? zonesThatMayFail(survey) : 0,
    missing: young.flatMap(({ id, isNew }) => (isNew ? [] : [id])).sort(),
    coming: young.flatMap(({ id, isNew }) => (isNew ? [id] : [])).sort(),
    missingUntil: earliest(...young.map(({ until }) => until)),
    lastMissingUntil: latest(...young.map(({ until }) => until)),
    ongoing: ongoing.length,
    kept: ongoing.filter((group) => isToBeKept(survey, group)).length,
    places: placesForCopies(survey, groups),
  };
}

function zonesThatMayFail({ engine }: Survey): number {
  const { zonesThatMayFail: zones, fullyReplicated = unknown } = engine.topology?.health ?? {};
  if (zones === null) return isTrue(fullyReplicated) ? 1 : 0;
  return typeof zones === 'number' ? Math.max(0, zones) : 0;
}
