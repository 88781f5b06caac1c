import type { WaitingReason } from '../../api/v1alpha1/waiting-reason.schema.ts';
import type { Reason } from '../../model/reason.ts';
import type { Instant } from '../../model/time.ts';
import { cutText } from './cut-text.ts';
import { momentOf, timestampOf, timestampOrNull } from './moments.ts';
import { inPercentSteps } from './percent-steps.ts';

/** How much of its waits a row says. */
export interface Room {
  readonly reasons: number;
  readonly characters: number;
}

/** What the schema of a row allows. */
export const fullRoom: Room = { reasons: 2, characters: 256 };

/** A wait as a status tells it, perhaps with since when it has been one. */
export type Wait = Pick<Reason, 'code' | 'message' | 'until'> & { readonly since?: Instant | null };

/** `waitingFor` of a row. While a code stays, so does its `since`; and while nothing but its figures moved a little, so does its sentence. */
export function waitingFor(
  waits: readonly Wait[],
  before: readonly WaitingReason[],
  now: Instant,
  room: Room,
): WaitingReason[] {
  return waits.slice(0, room.reasons).map(({ code, message, until, since }) => {
    const known = before.find((one) => one.code === code);
    const said = {
      code,
      message: cutText(message, room.characters),
      since: known?.since ?? timestampOf(since ?? now),
      until: timestampOrNull(until),
    };
    return known !== undefined && fits(known, room) && saysTheSame(known, said) ? known : said;
  });
}

const fits = ({ message }: WaitingReason, { characters }: Room): boolean => message.length <= characters;

/** Clocks of engines are read in passing: a moment that is computed from them moves a little with every reading. */
const jitter = 5000;

/** Whether a new sentence says nothing that is worth a write: its moments jitter, or its progress is within one step. */
export function saysTheSame(before: Saying, after: Saying): boolean {
  if (before.message === after.message && before.until === after.until) return true;
  if (skeleton(before.message) !== skeleton(after.message)) return false;
  return (
    allNear(momentsIn(before), momentsIn(after), (a, b) => Math.abs(a - b) <= jitter) &&
    allNear(percentsIn(before), percentsIn(after), (a, b) => inPercentSteps(a) === inPercentSteps(b))
  );
}

type Saying = Pick<WaitingReason, 'message' | 'until'>;

const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const percent = /(\d+) %/g;
/** Follows the progress and moves with it. */
const timeLeft = /, about [^,;]+ left/g;

const skeleton = (message: string): string =>
  message.replace(moment, '<moment>').replace(percent, '<progress>').replace(timeLeft, '');

const momentsIn = ({ message, until }: Saying): readonly number[] =>
  [...(message.match(moment) ?? []), ...(until === null ? [] : [until])].map(momentOf);

const percentsIn = ({ message }: Saying): readonly number[] =>
  [...message.matchAll(percent)].map(([, figure]) => Number(figure));

const allNear = (a: readonly number[], b: readonly number[], near: (a: number, b: number) => boolean): boolean =>
  a.length === b.length && a.every((one, index) => near(one, b[index] ?? Number.NaN));
