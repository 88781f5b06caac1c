import { isFalse, unknown } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Finding } from './finding.ts';
import { fails, holds, unknownWhether } from './finding.ts';
import { lastWordIsToKeep } from './last-word.ts';
import { newestJob } from './newest-job.ts';
import type { Question } from './question.ts';
import { heldBy, quorumsOf } from './question.ts';
import { ofUnlisted } from './unlisted.ts';

/** More than one: an old generation of the log may hold what is nowhere else, whatever the engine says of the process. */
const trustedGenerations = 1;

/** The engine confirms, of every process of the group, that it holds no data and no role and sits in no quorum that would have to change. */
export function drained(question: Question): Finding {
  const { group, processes, survey } = question;
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  const isUsed = lastWordIsToKeep(survey, group) || processes.some((process) => isFalse(process.drained));
  if (isUsed) return fails(reasons.notDrained(progressOf(question)));
  const moving = quorumsOf(question).find(({ membersMove }) => membersMove);
  if (moving !== undefined) return fails(reasons.isCoordinator({ group: group.id, quorum: moving.name }));
  const generations = survey.engine.topology?.health.activeGenerations ?? trustedGenerations;
  if (generations !== unknown && generations > trustedGenerations) {
    const subject = `${group.id} is not taken for drained`;
    return fails(reasons.manyGenerations({ subject, generations, most: trustedGenerations }));
  }
  if (generations === unknown) return unknownWhether('how many generations of the log are active');
  if (processes.some((process) => process.drained === unknown)) return unknownWhether('whether it is drained');
  return holdsCopies(question)
    ? unknownWhether('whether it is drained: the engine says so, and lists copies on it')
    : holds;
}

/** Copies that are wanted. */
export function holdsCopies(question: Question): boolean {
  for (const { replica } of heldBy(question)) if (replica.state !== 'unused' && !replica.doomed) return true;
  return false;
}

function progressOf({ survey, group }: Question) {
  const job = newestJob(survey.snapshot, group.id, 'Evacuate', ({ state }) => state === 'Running');
  return { group: group.id, percent: job?.percent ?? null, secondsLeft: job?.secondsLeft ?? null };
}
