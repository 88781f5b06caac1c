import type { ProcessId } from '../model/ids.ts';
import { isFalse, isTrue, unknown } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Quorum, QuorumMember } from '../model/topology.ts';
import type { Finding, Reliance } from './finding.ts';
import { doubted, fails, holds, notRelied, unknownWhether } from './finding.ts';
import type { Question } from './question.ts';
import { isGone, labelOf, quorumsOf, roleOf } from './question.ts';
import { isFree, rulesFor } from './role-table.ts';
import { standingOf } from './standing.ts';
import { ofUnlisted } from './unlisted.ts';

/** Every quorum that the group belongs to still has enough members without it, and without those that were let go. */
export function quorumSurvives(question: Question): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  return worst(quorumsOf(question).map((quorum) => survives(quorum, question)));
}

/** No process of the group leads a quorum. */
export function notQuorumLeader(question: Question): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  return worst(
    quorumsOf(question).map(({ leader, name }) => {
      if (leader === unknown) return unknownWhether(`who leads ${name}`);
      return leader !== null && question.own.has(leader)
        ? fails(reasons.quorumLeader({ group: question.group.id, quorum: name }))
        : holds;
    }),
  );
}

/** Every quorum of the group has a leader that responds and was not let go. One that leads itself is a matter of `not-quorum-leader`. */
export function leaderResponds(question: Question): Finding {
  const none = (quorum: Quorum) => fails(reasons.noQuorumLeader({ group: question.group.id, quorum: quorum.name }));
  return ofItsQuorums(question, (quorum) => {
    const { leader, name } = quorum;
    if (leader === unknown) return unknownWhether(`who leads ${name}`);
    if (leader === null) return none(quorum);
    if (question.own.has(leader)) return holds;
    const responds = answers(quorum, leader, question);
    if (responds.is === 'unknown') return unknownWhether(responds.missing);
    return responds.is === 'yes' ? holds : none(quorum);
  });
}

/** Every quorum of the group has a follower besides the group that responds and was not let go. */
export function otherFollowerResponds(question: Question): Finding {
  return ofItsQuorums(question, (quorum) => {
    const others = membersOf(quorum).filter((process) => !question.own.has(process) && process !== quorum.leader);
    const answered = others.map((process) => answers(quorum, process, question));
    const responding = answered.filter(({ is }) => is === 'yes').length;
    // Of two that respond, one at least does not lead.
    if (responding >= (quorum.leader === unknown ? 2 : 1)) return holds;
    const [doubt] = doubtsIn(answered);
    if (doubt !== undefined) return unknownWhether(doubt);
    if (responding > 0) return unknownWhether(`who leads ${quorum.name}`);
    return fails(reasons.noOtherFollower({ group: question.group.id, quorum: quorum.name }));
  });
}

/** A role whose rule speaks of a quorum and that belongs to none: something is missing from the answer. */
function ofItsQuorums(question: Question, ask: (quorum: Quorum) => Finding): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  const quorums = quorumsOf(question);
  if (quorums.length === 0) return unknownWhether('which quorum it belongs to');
  return worst(quorums.map(ask));
}

function survives(quorum: Quorum, question: Question): Finding {
  const counted = membersOf(quorum).map((process) => ({ process, counts: countsIn(quorum, process, question) }));
  const left = counted.filter(({ counts }) => counts.is === 'yes').length;
  if (left >= quorum.needed) return holds;
  const doubts = doubtsIn(counted.map(({ counts }) => counts));
  const [doubt] = doubts;
  if (doubt !== undefined && left + doubts.length >= quorum.needed) return unknownWhether(doubt);
  const missing = counted.flatMap(({ process, counts }) =>
    counts.is === 'no' && !question.own.has(process) ? [`${labelOf(question.survey, process)}: ${counts.why}`] : [],
  );
  const { name, needed } = quorum;
  return fails(reasons.quorumAtRisk({ group: question.group.id, quorum: name, left, needed, missing: missing.sort() }));
}

/** A member that is behind answers, but does not hold what was agreed. */
function countsIn(quorum: Quorum, process: ProcessId, question: Question): Reliance {
  const answer = answers(quorum, process, question);
  if (answer.is === 'no') return answer;
  const entries = entriesOf(quorum, process);
  if (entries.some(({ inSync }) => isFalse(inSync))) return notRelied('behind');
  if (answer.is === 'unknown' || entries.every(({ inSync }) => isTrue(inSync))) return answer;
  return doubted(`whether ${labelOf(question.survey, process)} is level with ${quorum.name}`);
}

/** Whether a member takes part: the quorum and its process both say so, and it was not let go. */
function answers(quorum: Quorum, process: ProcessId, question: Question): Reliance {
  const { survey } = question;
  if (isGone(question, process)) return notRelied(survey.gone.get(process) ?? 'let go');
  const rules = rulesFor(survey.snapshot.spec.engine, roleOf(survey, process));
  if (rules !== undefined && isFree(rules)) return notRelied('may go at any time');
  const entries = entriesOf(quorum, process);
  if (entries.some(({ responds }) => isFalse(responds))) return notRelied('does not respond');
  const standing = standingOf(survey, process);
  if (standing.is !== 'yes' || entries.every(({ responds }) => isTrue(responds))) return standing;
  return doubted(`whether ${labelOf(survey, process)} responds`);
}

/** Each member once, however often it is listed. */
const membersOf = ({ members }: Quorum): readonly ProcessId[] => [...new Set(members.map(({ process }) => process))];

const entriesOf = ({ members }: Quorum, id: ProcessId): readonly QuorumMember[] =>
  members.filter(({ process }) => process === id);

const doubtsIn = (reliances: readonly Reliance[]): readonly string[] =>
  reliances.flatMap((reliance) => (reliance.is === 'unknown' ? [reliance.missing] : [])).sort();

/** One that fails, else one that is not known. */
function worst(findings: readonly Finding[]): Finding {
  const of = (kind: Finding['finding']) => findings.find(({ finding }) => finding === kind);
  return of('fails') ?? of('unknown') ?? holds;
}
