import type { Answer, Verdict } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Rule } from '../model/role-rules.ts';
import { allOf } from '../model/role-rules.ts';
import { mayGoByPolicy, unitsSurvive } from './drain-policy.ts';
import { evaluate } from './evaluate.ts';
import { answerOf, fails, strictest } from './finding.ts';
import { ask, outOfReach } from './predicates.ts';
import type { Question } from './question.ts';
import { askAbout, quorumsOf, roleSpecOf } from './question.ts';
import { isFree, rulesIn } from './role-table.ts';
import type { Survey } from './survey.ts';
import { toldToTravel } from './travel.ts';

/**
 * What holds for one process group now, with everything that was let go counted as gone, itself included. For one that was let go already it
 * says whether it may still go. Nobody's force is in it: that is the plan's.
 */
export function verdictOf(survey: Survey, group: ProcessGroup): Verdict {
  return { group: group.id, eviction: mayBeEvicted(survey, group), replacement: mayBeReplaced(survey, group) };
}

/** May its pod leave, to come back elsewhere? The role's rule, the spec's own demands, the drain policy and the quorums all have to agree. */
export function mayBeEvicted(survey: Survey, group: ProcessGroup): Answer {
  const rules = rulesIn(survey.snapshot, group.role);
  if (rules === undefined) return noSuchRole(group);
  const question = askAbout('eviction', survey, group);
  return strictest([
    evaluate(relaxed(rules.mayBeEvicted, question), question),
    evaluate(allOf(...(roleSpecOf(question)?.evictionRequires ?? [])), question),
    ...(isFree(rules) ? [] : [dataAndQuorums(question, () => (rules.holdsData ? [mayGoByPolicy(question)] : []))]),
  ]);
}

/** May it leave for good? The role's rule, and every unit and quorum survives without it. */
export function mayBeReplaced(survey: Survey, group: ProcessGroup): Answer {
  const rules = rulesIn(survey.snapshot, group.role);
  if (rules === undefined) return noSuchRole(group);
  const question = askAbout('replacement', survey, group);
  return strictest([
    evaluate(rules.mayBeReplaced, question),
    ...(isFree(rules)
      ? []
      : [
          dataAndQuorums(question, () => [...(rules.holdsData ? [unitsSurvive(question)] : []), leftQuorums(question)]),
        ]),
  ]);
}

/** Travelling data need not be drained: that its writes survive is enough. Only where the spec says so for the role. */
function relaxed(rule: Rule, question: Question): Rule {
  if (!('all' in rule) || !toldToTravel(question)) return rule;
  return allOf(...rule.all.map((predicate) => (predicate === 'drained' ? 'write-concern-survives' : predicate)));
}

function dataAndQuorums(question: Question, data: () => readonly Answer[]): Answer {
  const { group, processes } = question;
  const out = outOfReach(question);
  if (out !== undefined) return answerOf([out], group.id);
  // A group that the engine does not list belongs to no quorum that is known; a role that must belong to one asks by itself.
  const quorums = processes.length === 0 ? [] : [ask('quorum-survives', question)];
  return strictest([...data(), answerOf(quorums, group.id)]);
}

/** A quorum whose members have to be moved is changed before one leaves it for good. */
function leftQuorums(question: Question): Answer {
  const { group } = question;
  const moving = quorumsOf(question).filter(({ membersMove }) => membersMove);
  return answerOf(
    moving.map(({ name }) => fails(reasons.isCoordinator({ group: group.id, quorum: name }))),
    group.id,
  );
}

const noSuchRole = ({ id, role }: ProcessGroup): Answer => ({
  kind: 'wait',
  reasons: [reasons.noSuchRole({ group: id, role })],
});
