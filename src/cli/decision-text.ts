import type { Action, Answer, Decision, StatusRecord, Verdict } from '../model/decision.ts';
import { list, moment } from '../model/phrases.ts';
import { plain } from './plain.ts';
import { table } from './table.ts';

const { compare } = new Intl.Collator('en', { numeric: true });

/** As people count: `storage-2` before `storage-10`. */
const byNumber = (a: Verdict, b: Verdict): number => compare(a.group, b.group);

/** A decision for people: who may go and why not, what is recorded and done, what waits, and when to look again. */
export function decisionText(decision: Decision): string {
  const { cluster, at, verdicts, records, actions, holds, wakeAt } = decision;
  return [
    plain(`${cluster} at ${moment(at)}`),
    verdicts.length === 0
      ? 'There are no process groups.'
      : table(['PROCESS GROUP', 'EVICTION', 'REPLACEMENT', 'WHY'], [...verdicts].sort(byNumber).flatMap(verdictRows)),
    section('To record', records.map(recordText)),
    section('To do', actions.map(actionText)),
    section(
      'Waiting',
      holds.map(({ group, reason }) => about(group, reason.message)),
    ),
    wakeAt === undefined ? 'Nothing changes by time alone.' : `Next look: ${moment(wakeAt)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * One row for each reason. Why it may not be replaced is told only where it may be evicted, because mostly that is the same story, and not
 * where it never may: that is so for all of its role.
 */
function verdictRows({ group, eviction, replacement }: Verdict): readonly (readonly string[])[] {
  const replaced = replacement.kind === 'wait' ? reasonsOf(replacement).map((why) => `replacement: ${why}`) : [];
  const whys = eviction.kind === 'allow' ? replaced : reasonsOf(eviction);
  const [first = '', ...more] = whys.map(plain);
  return [[plain(group), eviction.kind, replacement.kind, first], ...more.map((why) => ['', '', '', why])];
}

function reasonsOf(answer: Answer): readonly string[] {
  return answer.kind === 'allow' ? [] : answer.reasons.map(({ message }) => message);
}

/** Each line once: two steps may wait for the same thing. */
function section(title: string, lines: readonly string[]): string {
  const distinct = [...new Set(lines.map(plain))];
  return distinct.length === 0 ? '' : `${title}:\n${distinct.map((line) => `  ${line}`).join('\n')}`;
}

/** Most messages name the process group that they are about; the others are told whose they are. */
function about(group: string | null, message: string): string {
  return group === null || message.split(/[\s:,;]/).includes(group) ? message : `${group}: ${message}`;
}

function recordText(record: StatusRecord): string {
  switch (record.record) {
    case 'condition-set':
      return `${record.group} has ${record.condition} since ${moment(record.since)}`;
    case 'condition-cleared':
      return `${record.group} has ${record.condition} no more`;
    case 'taints-seen':
      return record.taints.length === 0
        ? `${record.group} has no taint that counts`
        : `${record.group} is on a node with ${record.taints.map(({ key, since }) => `${key} since ${moment(since)}`).join(', ')}`;
    case 'addresses':
      return `${record.group} is known as ${record.addresses.join(', ')}`;
    case 'zone':
      return `${record.group} is in ${record.zone}`;
    case 'gone':
      return `${record.group} is gone`;
    case 'grant-ended':
      return `the grant of ${record.group} is over`;
    case 'granted':
      return record.reason.message + waived(record.reason.message, record.grant.exemption);
    default:
      return record.reason.message;
  }
}

/** By whose leave a rule is not kept, unless the message says it already. */
function waived(message: string, exemption: string | null): string {
  return exemption === null || message.includes(exemption) ? '' : `; EXEMPT: ${exemption}`;
}

const verbs: Readonly<Record<Action['act'], string>> = {
  create: 'create',
  'delete-pod': 'delete the pod',
  'delete-group': 'delete pod, claim and service',
  'hand-off': 'hand leadership off',
  reseat: 'give seats to others',
  evacuate: 'move its data away',
  'cancel-evacuation': 'stop moving its data away',
  forget: 'let the engine forget it',
  'maintenance-on': 'begin maintenance',
  'maintenance-off': 'end maintenance',
  'let-go': 'open the lock and evict',
  close: 'close the lock again',
};

function actionText(action: Action): string {
  return `${'group' in action ? `${action.group}: ` : ''}${whatIsDone(action)} (${action.reason.message})`;
}

function whatIsDone(action: Action): string {
  if (action.act === 'create') return `create the ${action.what}`;
  if (action.act === 'evacuate' && action.units !== undefined) return `move its copies of ${list(action.units)} away`;
  if (action.act === 'evacuate' && action.processes.length === 0)
    return `move the data of ${list(action.addresses)} away`;
  return verbs[action.act];
}
