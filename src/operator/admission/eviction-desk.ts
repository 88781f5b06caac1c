import type { AdmissionAnswer, AdmissionRequest } from '../../kube/admission-review.ts';
import type { Clock } from '../../kube/clock.ts';
import { deadline, millis } from '../../kube/clock.ts';
import { instant } from '../../model/time.ts';
import type { Desk, Found } from '../lock/desk.ts';
import type { EvictionRequest } from './eviction-request.ts';
import { evictionRequest } from './eviction-request.ts';
import { asGoodAsGone, dryRunMessages, heldBack } from './held-back.ts';
import { judge } from './judge-eviction.ts';
import { sayHeld } from './say-held.ts';

/** So long a caller waits for a grant. The API server gives the webhook 3 s in all. */
const mostPatience = millis(2000);

/** By which of the two webhooks the API server asks. Where a pod is covered it asks by both, at the same time. */
type Part = 'voice' | 'cover';

const nobodyLeads = (pod: string): string =>
  `drover: nothing can be said about ${pod}: nobody leads here, so it is not known who guards it; if it is locked it waits until a replica of Drover leads, else it goes`;

/** Two that could each go may not both, so that a look that is older than the last grant lets nobody go. */
const beingChecked =
  'it could go when last looked at, and whether it still can, with all others that go, is being checked';

/** Answers evictions from what was last decided. One that may go is granted inside the call, so that the same request passes the lock. */
export class EvictionDesk {
  readonly #desk: Desk;
  readonly #clock: Clock;

  constructor(desk: Desk, clock: Clock) {
    this.#desk = desk;
    this.#clock = clock;
  }

  /** About any pod of a namespace that has guards. The lock is the safety: what nobody is known to guard is let through. */
  readonly answer = (review: AdmissionRequest, signal: AbortSignal): AdmissionAnswer | Promise<AdmissionAnswer> =>
    this.#answer(review, 'voice', signal);

  /** About a pod that no lock is on. Without a view of everything nothing is let through. */
  readonly answerCovered = (
    review: AdmissionRequest,
    signal: AbortSignal,
  ): AdmissionAnswer | Promise<AdmissionAnswer> => this.#answer(review, 'cover', signal);

  #answer(review: AdmissionRequest, as: Part, signal: AbortSignal): AdmissionAnswer | Promise<AdmissionAnswer> {
    const request = evictionRequest(review);
    if (request === undefined) return { allowed: true };
    const found = this.#desk.find(request.namespace, request.pod);
    if (found === undefined) return this.#aboutNobodys(request, as);
    // Of its own account's evictions Drover is not asked, but it may run on somebody else's, and would wait here for itself.
    if (!request.dryRun && this.#desk.isEvicting(found.guarded.pod.uid)) return { allowed: true };
    const now = instant(this.#clock.now());
    const judged = judge(request, found, now);
    if (judged.is === 'answered') return judged.answer;
    // From here on it is a real eviction of a pod that is there: whoever wants it gone is heard, whatever the answer.
    this.#desk.ask(found.guard, found.guarded.pod.uid, request.by, as === 'cover');
    if (judged.is === 'held') return judged.answer;
    return this.#grant(request, found, as, signal);
  }

  /**
   * Not guarded, as far as is known here. Who has just started knows of nothing yet, and says so in its own words for the few seconds that reading
   * takes. A replica that does not lead never knows, and does not say 429 for ever, as the table of the design has it: it cannot tell a locked pod from
   * any other one of the namespace, so that nobody could drain those while no replica leads. The lock decides, and says 429 where there is one.
   */
  #aboutNobodys({ namespace, pod, dryRun }: EvictionRequest, as: Part): AdmissionAnswer {
    if ((as === 'cover' || this.#desk.isNew) && !this.#desk.hasRead(namespace)) {
      const why = `drover: ${pod} stays: Drover has just started and reads what it guards; ask again in a few seconds`;
      return dryRun ? asGoodAsGone(dryRunMessages.waits, [why]) : heldBack(why);
    }
    if (this.#desk.isAttended || as === 'cover') return { allowed: true };
    // A lock would answer 429, which the dry run of a drain asks again for ever.
    if (dryRun) return asGoodAsGone(dryRunMessages.nobodyLeads, [nobodyLeads(pod)]);
    return { allowed: true, warnings: ['drover: this replica does not lead; the lock decides'] };
  }

  async #grant(
    request: EvictionRequest,
    { guard, guarded }: Found,
    as: Part,
    signal: AbortSignal,
  ): Promise<AdmissionAnswer> {
    const { pod } = guarded;
    const patience = deadline(this.#clock, mostPatience, signal, () => new Error('no grant in time'));
    try {
      const passage = this.#desk.passage(pod.uid, patience.signal);
      this.#desk.stir(guard);
      if ((await passage) === 'open') return { allowed: true };
    } catch (error) {
      if (!patience.signal.aborted) throw error;
      return heldBack(`drover: ${pod.name} stays for the moment: ${beingChecked}; ask again in a few seconds`);
    } finally {
      patience.dispose();
    }
    const after = this.#desk.find(request.namespace, request.pod);
    return after === undefined ? this.#aboutNobodys(request, as) : sayHeld(after);
  }
}
