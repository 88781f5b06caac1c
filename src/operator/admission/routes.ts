import type { AdmissionAnswer, AdmissionRequest } from '../../kube/admission-review.ts';
import type { AdmissionRoute } from '../../kube/admission-route.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Desk } from '../lock/desk.ts';
import { coverPath } from '../lock/foreign-cover.ts';
import { EvictionDesk } from './eviction-desk.ts';
import { heldBack } from './held-back.ts';

/** The lock, not the webhook, is the safety: what cannot be read here lets the request pass, and the API server looks at the lock. */
const allow = (): AdmissionAnswer => ({ allowed: true });

const podOf = ({ name }: AdmissionRequest): string => name ?? 'the pod';

/** Who answers at which path of the admission server. */
export function admissionRoutes(desk: Desk, clock: Clock): ReadonlyMap<string, AdmissionRoute> {
  const evictions = new EvictionDesk(desk, clock);
  const broken = (review: AdmissionRequest) =>
    heldBack(`drover: ${podOf(review)} stays: Drover failed to answer; its log says why`);
  const slow = (review: AdmissionRequest) =>
    heldBack(
      `drover: ${podOf(review)} stays: Drover had no answer in time and goes on with it; ask again in a few seconds`,
    );
  return new Map([
    ['/evict', { handle: evictions.answer, onError: allow, onTimeout: slow }],
    // No lock is behind these.
    [coverPath, { handle: evictions.answerCovered, onError: broken, onTimeout: slow }],
  ]);
}
