import type { AdmissionAnswer } from '../../kube/admission-review.ts';
import type { AdmissionRoute } from '../../kube/admission-route.ts';

/** Without guards there is nothing to hold, and the lock, not the webhook, is the safety: whatever goes wrong here lets the request pass. */
const allow = (): AdmissionAnswer => ({ allowed: true });

/** Who answers at which path of the admission server. */
export function admissionRoutes(): ReadonlyMap<string, AdmissionRoute> {
  return new Map([['/evict', { handle: allow, onError: allow, onTimeout: allow }]]);
}
