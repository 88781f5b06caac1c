import type { DenialCause, Denied } from '../../kube/admission-review.ts';
import type { Decision, Verdict } from '../../model/decision.ts';
import { duration } from '../../model/phrases.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { seconds } from '../../model/time.ts';
import type { Found, GuardedPod, Published } from '../lock/desk.ts';
import { progressOf } from '../status/progress.ts';
import { waitsIn } from '../status/waits.ts';
import { heldBack } from './held-back.ts';

type About = Pick<Found, 'published' | 'guarded'>;

export const verdictFor = ({ published, guarded }: About): Verdict | undefined =>
  published.decision.verdicts.find(({ group }) => group === guarded.group);

/** Why a pod stays, the most important first: what its rules say, and then what is being done about it. */
export function reasonsFor(about: About): readonly Reason[] {
  const { published, guarded } = about;
  const eviction = verdictFor(about)?.eviction;
  const rules = eviction === undefined || eviction.kind === 'allow' ? [] : eviction.reasons;
  const waits = waitsIn(published.decision).get(guarded.group) ?? [];
  const seen = new Set<string>(rules.some(tellsHowFar) ? [reasons.draining.code] : []);
  return [...rules, ...waits].filter(({ code }) => !seen.has(code) && seen.add(code));
}

/** That it is being emptied is in it, and how far that is. */
const tellsHowFar = ({ code, evidence }: Reason): boolean =>
  code === reasons.notDrained.code && typeof evidence['percent'] === 'number';

/** A tired person reads no more. `drover why` has them all. */
const mostSentences = 4;

/** Said every few seconds to everyone who asks, and the same until it is decided about again. */
const said = new WeakMap<Published, Map<GuardedPod, Denied>>();

/** Not now, and why, from what was last decided. */
export function sayHeld(about: About): Denied {
  const { published, guarded } = about;
  const known = said.get(published) ?? new Map<GuardedPod, Denied>();
  said.set(published, known);
  const before = known.get(guarded);
  if (before !== undefined) return before;
  const answer = compose(about);
  known.set(guarded, answer);
  return answer;
}

/** Progress is told as a warning, because kubectl prints each of them once and the same error every five seconds. */
function compose(about: About): Denied {
  const why = reasonsFor(about);
  const { group } = about.guarded;
  const [first = `${group} stays until the engine was read again`, ...more] = why.map(({ message }) => message);
  // Whose they are is said once.
  const message = [first, ...more.map((sentence) => sentence.replace(`${group} stays: `, ''))].slice(0, mostSentences);
  const words = movesForEviction(about) ? [...message, evacuationWords] : message;
  return heldBack(plainly(`drover: ${words.join('; ')}`), howFar(about), causesOf(why));
}

function howFar(about: About): readonly string[] {
  const { guarded, published } = about;
  const progress = progressOf(verdictFor(about)?.eviction, waitsIn(published.decision).get(guarded.group) ?? []);
  if (progress === undefined) return [];
  const { percent, secondsLeft } = progress;
  const left = secondsLeft === null ? '' : `, about ${duration(seconds(secondsLeft))} left`;
  return [plainly(`drover: ${guarded.pod.name} ${Math.floor(percent)} %${left}`)];
}

/** One for each reason: its code, and its words. */
export const causesOf = (why: readonly Reason[]): readonly DenialCause[] =>
  why.map(({ code, message }) => ({ type: code, message: plainly(message) }));

/** By the first three words the descheduler knows that its eviction goes on in the background and has not failed: KubeVirt's words, to the letter. */
const evacuationWords = 'Eviction triggered evacuation of its data';

/** Data is on its way away from the pod because somebody evicted it. Of a cordoned node, as kubectl drain leaves it, nobody has to be told. */
function movesForEviction({ published: { asks, decision }, guarded: { group, pod } }: About): boolean {
  const [first] = asks.filter((ask) => ask.pod === pod.uid).toSorted((a, b) => a.since - b.since);
  if (first?.source !== 'Eviction' || first.cordoned === true) return false;
  return (
    decision.actions.some((action) => action.act === 'evacuate' && action.group === group) ||
    decision.holds.some((hold) => hold.group === group && saysMoving(hold))
  );
}

/** The engine moves it: that the copies would have to move is what the rules say, too, before anything moves. */
const saysMoving = ({ step, reason: { code } }: Decision['holds'][number]): boolean =>
  code === reasons.draining.code || (step === 'evacuate-asked' && code === reasons.holdsReplicas.code);

/** In one line: kubectl drops warnings that have control characters. */
export const plainly = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');
