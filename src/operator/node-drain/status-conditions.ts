import type { NodeDrainConditionType, nodeDrainConditions } from '../../api/v1alpha1/node-drain.conditions.ts';
import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { Drain, DrainPlan } from '../../model/drain.ts';
import { count, list, moment } from '../../model/phrases.ts';
import { reasons } from '../../model/reasons.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { AnyJudgement } from '../status/conditions.ts';

type Definition<Type extends NodeDrainConditionType> = Extract<
  (typeof nodeDrainConditions)[number],
  { readonly type: Type }
>;
type ReasonOf<Type extends NodeDrainConditionType> = Definition<Type>['alsoCodes'] extends true
  ? string
  : keyof Definition<Type>['reasons'] & string;

/** One answer about a drain. Only what the catalogue lists can be written. */
type Judgement<Type extends NodeDrainConditionType> = AnyJudgement & {
  readonly type: Type;
  readonly reason: ReasonOf<Type>;
};

type Row = NodeDrainStatus['nodes'][number];

/** The conditions of a drain that is under way or done. */
export const judgementsOf = (drain: Drain, plan: DrainPlan, rows: readonly Row[]): readonly AnyJudgement[] => [
  completedOf(plan, rows),
  blockedOf(drain, rows),
  deadlineOf(drain, plan, rows),
];

/** That nothing goes, because nodes may not be read, or not be changed. */
export const heldByRights = (message: string): Judgement<'Blocked'> => ({
  type: 'Blocked',
  status: 'True',
  reason: 'NodesUnreadable',
  message,
});

/** That nothing is held up. */
export const nothingWaits: Judgement<'Blocked'> = {
  type: 'Blocked',
  status: 'False',
  reason: 'NothingWaits',
  message: 'nothing waits',
};

/** That nothing is done, because the nodes cannot be read. What was said of the deadline was said with open eyes, and holds no longer. */
export function blind(why: string, deadline: Instant | null, now: Instant): readonly AnyJudgement[] {
  return [
    notBegun('NodesUnreadable', why),
    heldByRights(why),
    ...(deadline === null ? [] : [now >= deadline ? missed(deadline, why) : unknowable(deadline, why)]),
  ];
}

/** That the drain has no nodes, that they cannot be read, or that the spec cannot be obeyed: nothing is done. */
export const notBegun = (
  reason: 'NoNodes' | 'NodesUnreadable' | 'InvalidSpec',
  message: string,
): Judgement<'Completed'> => ({
  type: 'Completed',
  status: 'False',
  reason,
  message,
});

/** That what was begun is being taken back. */
export const cancelled: Judgement<'Completed'> = {
  type: 'Completed',
  status: 'False',
  reason: 'Cancelled',
  message: 'the NodeDrain was deleted before it was done: what it cordoned is uncordoned',
};

function completedOf({ outlook }: DrainPlan, rows: readonly Row[]): Judgement<'Completed'> {
  if (outlook === 'done') {
    const message = `${count(rows.length, 'node')} drained`;
    return { type: 'Completed', status: 'True', reason: 'AllDrained', message };
  }
  const open = rows.filter(({ phase }) => phase !== 'Drained' && phase !== 'Gone');
  const left = open.reduce((sum, { podsLeft }) => sum + podsLeft, 0);
  const message = `${count(left, 'pod')} left on ${list(open.map(({ name }) => name))}`;
  return { type: 'Completed', status: 'False', reason: 'Draining', message };
}

interface Held {
  readonly code: string;
  readonly message: string;
  readonly since: string;
}

/** What is on its way is not held up. */
function isOnItsWay({ reasons: [first], estimatedEnd }: Row['waiting'][number], now: Instant): boolean {
  return first?.code === reasons.podGoing.code && (estimatedEnd === null || Date.parse(estimatedEnd) >= now);
}

/** A node that waits its turn, or is gone, is not held up either. */
const noHold: ReadonlySet<string> = new Set([reasons.nodeWaits.code, reasons.nodeGone.code, reasons.nodeNotRead.code]);

function blockedOf({ now }: Drain, rows: readonly Row[]): Judgement<'Blocked'> {
  const ofPods = rows.flatMap(({ waiting }) =>
    waiting.filter((row) => !isOnItsWay(row, now)).flatMap((row): readonly Held[] => row.reasons.slice(0, 1)),
  );
  const ofNodes = rows.flatMap((row): readonly Held[] => row.reasons.filter(({ code }) => !noHold.has(code)));
  const all = [...ofPods, ...ofNodes];
  const [longest] = all.toSorted((a, b) => (a.since < b.since ? -1 : 1));
  if (longest === undefined) {
    return nothingWaits;
  }
  const more =
    all.length === 1 ? '' : `; ${count(all.length - 1, 'other')} ${all.length === 2 ? 'waits' : 'wait'}, too`;
  return { type: 'Blocked', status: 'True', reason: longest.code, message: `${longest.message}${more}` };
}

function deadlineOf({ deadline, now }: Drain, plan: DrainPlan, rows: readonly Row[]): Judgement<'DeadlineAtRisk'> {
  const type = 'DeadlineAtRisk';
  if (deadline === null) return { type, status: 'False', reason: 'NoDeadline', message: 'there is no deadline' };
  const by = `by ${moment(deadline)}`;
  if (plan.outlook === 'done') return { type, status: 'False', reason: 'OnTime', message: 'it is done' };
  const waiting = rows.flatMap((row) => row.waiting);
  const never = waiting.find(({ verdict }) => verdict === 'never')?.reasons[0]?.message;
  if (never !== undefined) {
    return { type, status: 'True', reason: 'CannotEnd', message: `it cannot be done ${by}${because(never)}` };
  }
  if (now >= deadline) return missed(deadline, waiting[0]?.reasons[0]?.message);
  const late = waiting.find(({ estimatedEnd }) => estimatedEnd !== null && Date.parse(estimatedEnd) > deadline);
  if (late !== undefined) {
    const at = moment(instant(Date.parse(late.estimatedEnd ?? '')));
    const message = `it cannot be done ${by}: ${late.pod} should be ready at ${at}${because(late.reasons[0]?.message)}`;
    return { type, status: 'True', reason: 'TooSlow', message };
  }
  const isEarliest = new Set(
    plan.nodes.flatMap((node) => node.waiting.filter(({ moreFollows }) => moreFollows === true).map(({ pod }) => pod)),
  );
  const endless = waiting.find(({ pod, estimatedEnd }) => estimatedEnd === null || isEarliest.has(pod));
  if (endless !== undefined || plan.nodes.some(({ phase }) => phase === 'Pending')) {
    return unknowable(deadline, endless?.reasons[0]?.message ?? 'some nodes have yet to begin');
  }
  return { type, status: 'False', reason: 'OnTime', message: `it should be done ${by}` };
}

const because = (text: string | undefined): string => (text === undefined ? '' : `, because ${text}`);

const missed = (deadline: Instant, why: string | undefined): Judgement<'DeadlineAtRisk'> => ({
  type: 'DeadlineAtRisk',
  status: 'True',
  reason: 'DeadlinePassed',
  message: `it was not done by ${moment(deadline)}${because(why)}; nothing is forced`,
});

const unknowable = (deadline: Instant, why: string): Judgement<'DeadlineAtRisk'> => ({
  type: 'DeadlineAtRisk',
  status: 'Unknown',
  reason: 'NotKnown',
  message: `whether it is done by ${moment(deadline)} is not known${because(why)}`,
});
