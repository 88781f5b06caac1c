import type { AdmissionRequest } from '../../kube/admission-review.ts';
import { formatReview, parseReview } from '../../kube/admission-review.ts';
import type { Clock } from '../../kube/clock.ts';
import { admissionRoutes } from '../../operator/admission/routes.ts';
import type { Desk } from '../../operator/lock/desk.ts';
import type { WebhookCaller } from '../api-server/webhook-call.ts';

interface Reach {
  /** The desk of the operator that lives now, and the end of its life, which is that of its calls; undefined: none lives, or it cannot be reached. */
  readonly living: () => { readonly desk: Desk; readonly end?: AbortSignal } | undefined;
  /** Hears of every question that arrives. */
  readonly onCall?: (request: AdmissionRequest) => void;
}

/** Reaches the webhook of the operator that lives now, as if it were a call over the network; nobody is there while none lives. */
export function callingWebhook(clock: Clock, { living, onCall }: Reach): WebhookCaller {
  return async ({ service, review }, signal) => {
    const life = living();
    const route = life === undefined ? undefined : admissionRoutes(life.desk, clock).get(service?.path ?? '');
    if (life === undefined || route === undefined) throw new Error('connection refused');
    const request = parseReview(Buffer.from(JSON.stringify(review)));
    onCall?.(request);
    const answered = Promise.resolve(route.handle(request, signal));
    const answer = await (life.end === undefined ? answered : whileItLives(life.end, answered));
    return JSON.parse(formatReview(request.uid, answer));
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
