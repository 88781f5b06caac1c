import type { AdmissionAnswer } from '../../kube/admission-review.ts';
import type { Millis } from '../../kube/clock.ts';
import { minutes, seconds } from '../../kube/clock.ts';
import type { Instant } from '../../model/time.ts';
import type { Found } from '../lock/desk.ts';
import type { EvictionRequest } from './eviction-request.ts';
import { asGoodAsGone, dryRunMessages, heldBack, willNeverGo } from './held-back.ts';
import { causesOf, plainly, reasonsFor, sayHeld, verdictFor } from './say-held.ts';
import { tooOld } from './too-old.ts';

/** What an eviction is answered with, from memory. `held` and `may-go` are asks as well: whoever wants the pod gone is written down. */
export type Judged =
  | { readonly is: 'answered'; readonly answer: AdmissionAnswer }
  | { readonly is: 'held'; readonly answer: AdmissionAnswer }
  | { readonly is: 'may-go' };

/** The engine is read every 30 s at least: what was decided longer ago than this says nothing. */
const goodFor = seconds(60);
/** So long an asker is known to have had its pod. */
const chasedFor = minutes(10);

const answered = (answer: AdmissionAnswer): Judged => ({ is: 'answered', answer });

/** The table of the answers, row by row: the first that fits. */
export function judge(request: EvictionRequest, found: Found & { readonly age: Millis }, now: Instant): Judged {
  const { pod, locked } = found.guarded;
  const isOver = pod.phase === 'Succeeded' || pod.phase === 'Failed' || pod.deletingSince !== null;
  // The API server knows best about a pod that has ended, or that is another one than the caller means.
  if (isOver || (request.uid !== undefined && request.uid !== pod.uid)) return answered({ allowed: true });
  if (hasLeft(request, found, now)) return answered(successor(found, request.dryRun));
  if (request.dryRun) return answered(whatIf(found, now));
  if (!locked) return answered({ allowed: true });
  if (found.age > goodFor) return { is: 'held', answer: heldBack(tooOld(found, now)) };
  return verdictFor(found)?.eviction.kind === 'allow' ? { is: 'may-go' } : { is: 'held', answer: sayHeld(found) };
}

/** The pod that this asker wanted has gone, and this one was made in its place. Who names this very pod by its uid wants this one. */
function hasLeft({ by, pod: name, uid }: EvictionRequest, { published, guarded }: Found, now: Instant): boolean {
  return (
    uid === undefined &&
    published.asks.some(
      (ask) =>
        ask.by === by &&
        ask.name === name &&
        ask.pod !== guarded.pod.uid &&
        ask.letGoAt !== null &&
        now - ask.letGoAt < chasedFor,
    ) &&
    !isLeaving({ published, guarded })
  );
}

/** What runs where others are leaving is still to go. */
const isLeaving = ({ published, guarded }: Pick<Found, 'published' | 'guarded'>): boolean =>
  guarded.pod.node !== null && published.leaving.has(guarded.pod.node);

/**
 * 404 ends the drain and leaves the healthy pod alone; before it runs nobody knows where it will, which a dry run does not wait for. One that finds no
 * place is on no node that is drained either: with a disk on that very node it would be asked for until the node is back.
 */
function successor({ guarded: { pod } }: Found, dryRun: boolean): AdmissionAnswer {
  if (pod.node === null && pod.unschedulable !== null) {
    return asGoodAsGone('drover: it has left', [
      plainly(`drover: ${pod.name} has left; the pod of that name finds no node for now: ${pod.unschedulable}`),
    ]);
  }
  if (pod.node === null || pod.phase === 'Pending') {
    const why = `drover: ${pod.name} has left; the pod in its place is not running yet`;
    return dryRun ? asGoodAsGone(dryRunMessages.waits, [why]) : heldBack(why);
  }
  return asGoodAsGone('drover: it has left', [
    `drover: ${pod.name} has left; the pod of that name on ${pod.node} is its successor and stays`,
  ]);
}

/** What a real eviction would lead to. kubectl ends a dry run by 404, and with an error by 403; anything else it asks again for ever. */
function whatIf(found: Found & { readonly age: Millis }, now: Instant): AdmissionAnswer {
  const { pod, locked } = found.guarded;
  if (locked && found.age > goodFor) return asGoodAsGone(dryRunMessages.waits, [tooOld(found, now)]);
  const eviction = verdictFor(found)?.eviction;
  if (!locked || eviction?.kind === 'allow') {
    // Each is judged by itself, and a dry run leaves no trace by which the next one could be judged together with it.
    const unless = locked ? `, unless another one of ${found.guard} goes first` : '';
    return asGoodAsGone(dryRunMessages.goes, [
      plainly(`drover: ${pod.name} on ${pod.node ?? 'no node'} would go at once${unless}`),
    ]);
  }
  const reasons = reasonsFor(found);
  const why = reasons.map(({ message }) => plainly(`drover: ${message}`));
  if (eviction?.kind === 'never') return willNeverGo(why.join('; '), causesOf(reasons));
  const first = plainly(`drover: ${pod.name} would be asked to leave, and would wait first`);
  return asGoodAsGone(dryRunMessages.waits, [first, ...why], causesOf(reasons));
}
