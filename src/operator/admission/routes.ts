import type { AdmissionAnswer } from '../../kube/admission-review.ts';
import type { AdmissionRoute } from '../../kube/admission-route.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Desk } from '../lock/desk.ts';
import { coverPath } from '../lock/foreign-cover.ts';
import { EvictionDesk } from './eviction-desk.ts';
import { heldBack } from './held-back.ts';

/** The lock, not the webhook, is the safety: what cannot be read here lets the request pass, and the API server looks at the lock. */
const allow = (): AdmissionAnswer => ({ allowed: true });

/** Who answers at which path of the admission server. */
export function admissionRoutes(desk: Desk, clock: Clock): ReadonlyMap<string, AdmissionRoute> {
  const evictions = new EvictionDesk(desk, clock);
  const broken = () => heldBack('drover failed to answer, and its log says why; the pod stays until it can');
  const slow = () => heldBack('drover had no answer in time; it is still being worked on');
  return new Map([
    ['/evict', { handle: evictions.answer, onError: allow, onTimeout: slow }],
    // No lock is behind these.
    [coverPath, { handle: evictions.answerCovered, onError: broken, onTimeout: slow }],
  ]);
}
