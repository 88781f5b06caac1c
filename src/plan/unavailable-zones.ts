import type { Zone } from '../model/ids.ts';
import type { ConditionType, ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';

const unavailability: ReadonlySet<ConditionType> = new Set([
  'PodPending',
  'MissingProcesses',
  'PodFailing',
  'MissingPod',
]);

/**
 * The zones in which pods are unavailable, those that are deleted in this decision included: `maxZonesWithUnavailablePods` is asked at each
 * deletion itself. Process groups that are leaving count too; one that has never been anywhere has no zone to count.
 */
export class UnavailableZones {
  readonly #zones = new Set<Zone>();
  readonly #most: number | null;

  constructor({ snapshot }: Survey) {
    this.#most = snapshot.spec.maxZonesWithUnavailablePods;
    if (this.#most === null) return;
    for (const group of snapshot.processGroups) if (isUnavailable(group)) this.add(group);
  }

  /** Why this pod must not be deleted; undefined: it may be. More zones than the limit hold it, unless its own is one of them. */
  reasonAgainst({ id, zone }: ProcessGroup): Reason | undefined {
    if (this.#most === null || this.#zones.size <= this.#most || (zone !== null && this.#zones.has(zone)))
      return undefined;
    return reasons.zonesUnavailable({ group: id, zones: [...this.#zones].sort(), most: this.#most });
  }

  add({ zone }: ProcessGroup): void {
    if (zone !== null) this.#zones.add(zone);
  }
}

/**
 * One that is being removed has no pod a moment later. Of what is on its way out, or in a zone under maintenance, no such condition is kept, so that the
 * pod itself is looked at, too.
 */
function isUnavailable({ pod, conditions, removingAt }: ProcessGroup): boolean {
  if (pod === null || pod.deletingSince !== null || removingAt !== null || !pod.ready) return true;
  return conditions.some(({ type }) => unavailability.has(type));
}
