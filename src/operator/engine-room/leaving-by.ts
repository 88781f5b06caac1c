import type { Action, Decision } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { countsAsGone } from '../../rules/survey.ts';

/** A decision, and the snapshot once everything of it is recorded. */
interface Decided {
  readonly decision: Pick<Decision, 'actions'>;
  readonly after: Snapshot;
}

/**
 * The process groups on which nothing new is put: those that are to be emptied, those whose pods go or were let go, and those whose pods this very decision
 * takes away. A pod that is made again on its volume comes back, but a seat that it was given in between would be empty until then.
 */
export const leavingBy = ({ decision, after }: Decided): ReadonlySet<ProcessGroupId> =>
  new Set([
    ...after.processGroups.filter(isLeaving).map(({ id }) => id),
    ...after.grants.filter((grant) => countsAsGone(grant, after)).map(({ group }) => group),
    ...decision.actions.flatMap((action) => (takesAway(action) ? [action.group] : [])),
  ]);

const isLeaving = ({ removal, evacuationAt, pod }: ProcessGroup): boolean =>
  removal !== null || evacuationAt !== null || (pod !== null && pod.deletingSince !== null);

const takesAway = (
  action: Action,
): action is Extract<Action, { readonly act: 'delete-pod' | 'delete-group' | 'let-go' }> =>
  action.act === 'delete-pod' || action.act === 'delete-group' || action.act === 'let-go';
