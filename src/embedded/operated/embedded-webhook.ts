import { formatReview, parseReview } from '../../kube/admission-review.ts';
import type { Clock } from '../../kube/clock.ts';
import { admissionRoutes } from '../../operator/admission/routes.ts';
import type { Desk } from '../../operator/lock/desk.ts';
import type { WebhookCaller } from '../api-server/webhook-call.ts';

/** Reaches the webhook of the operator that lives now, as if it were a call over the network; nobody is there while none lives. */
export function callingWebhook(clock: Clock, living: () => Desk | undefined): WebhookCaller {
  return async ({ service, review }, signal) => {
    const desk = living();
    const route = desk === undefined ? undefined : admissionRoutes(desk, clock).get(service?.path ?? '');
    if (route === undefined) throw new Error('connection refused');
    const request = parseReview(Buffer.from(JSON.stringify(review)));
    const answer = await route.handle(request, signal);
    return JSON.parse(formatReview(request.uid, answer));
  };
}
