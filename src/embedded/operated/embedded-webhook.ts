import type { AdmissionAnswer, AdmissionRequest } from '../../kube/admission-review.ts';
import { formatReview, parseReview } from '../../kube/admission-review.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import { elapsed } from '../../kube/clock.ts';
import { admissionRoutes } from '../../operator/admission/routes.ts';
import type { Desk } from '../../operator/lock/desk.ts';
import type { WebhookCaller } from '../api-server/webhook-call.ts';

/** The desk of an operator that lives, and the end of its life, which is that of its calls. */
export interface Living {
  readonly desk: Desk;
  readonly end: AbortSignal;
}

/** How a question was answered: within which time, and with what; or it was not, although nobody had died. */
export type Answered =
  | { readonly request: AdmissionRequest; readonly answer: AdmissionAnswer; readonly took: Millis }
  | { readonly request: AdmissionRequest; readonly failure: unknown };

interface Reach {
  /** undefined: none lives, or it cannot be reached. */
  readonly living: () => Living | undefined;
  /** Hears of every question that arrives. */
  readonly onCall?: (request: AdmissionRequest) => void;
  /** Hears what became of it. */
  readonly onAnswer?: (answered: Answered) => void;
}

/** Reaches the webhook of the operator that lives now, as if it were a call over the network; nobody is there while none lives. */
export function callingWebhook(clock: Clock, { living, onCall, onAnswer }: Reach): WebhookCaller {
  return async ({ service, review }, signal) => {
    const life = living();
    const route = life === undefined ? undefined : admissionRoutes(life.desk, clock).get(service?.path ?? '');
    if (life === undefined || route === undefined) throw new Error('connection refused');
    const request = parseReview(Buffer.from(JSON.stringify(review)));
    onCall?.(request);
    const arrived = clock.monotonic();
    try {
      const answer = await whileItLives(life.end, Promise.resolve(route.handle(request, signal)));
      onAnswer?.({ request, answer, took: elapsed(clock, arrived) });
      return JSON.parse(formatReview(request.uid, answer));
    } catch (failure) {
      if (!life.end.aborted) onAnswer?.({ request, failure });
      throw failure;
    }
  };
}

/** Whoever dies takes its connections along. */
function whileItLives<Answer>(end: AbortSignal, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lose = () => reject(new Error('connection reset by peer'));
    if (end.aborted) return lose();
    end.addEventListener('abort', lose, { once: true });
    answer.then(resolve, reject).finally(() => end.removeEventListener('abort', lose));
  });
}
