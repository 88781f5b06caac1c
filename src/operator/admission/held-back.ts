import type { DenialCause, Denied } from '../../kube/admission-review.ts';

/**
 * Not now. The code is set because without one the API server says 400, which ends a drain; and never with a time to wait, because kubectl would
 * wait that time in silence, ten times over.
 */
export const heldBack = (
  message: string,
  warnings: readonly string[] = [],
  causes: readonly DenialCause[] = [],
): Denied => ({
  allowed: false,
  code: 429,
  reason: 'TooManyRequests',
  message,
  ...(warnings.length > 0 && { warnings }),
  ...(causes.length > 0 && { causes }),
});

/** As good as gone for whoever drains: kubectl ends its drain, and prints nothing but the warnings. */
export const asGoodAsGone = (
  message: string,
  warnings: readonly string[],
  causes: readonly DenialCause[] = [],
): Denied => ({
  allowed: false,
  code: 404,
  reason: 'NotFound',
  message,
  warnings,
  ...(causes.length > 0 && { causes }),
});

/** What a dry run is told besides the warnings. kubectl does not show it; `drover why` and `drover drain --dry-run` go by it. */
export const dryRunMessages = {
  goes: 'drover: it would go at once',
  waits: 'drover: it would wait first',
  nobodyLeads: 'drover: nobody leads who could say',
} as const;

/** For dry runs alone: a real eviction that gets this ends its drain with an error. */
export const willNeverGo = (message: string, causes: readonly DenialCause[]): Denied => ({
  allowed: false,
  code: 403,
  reason: 'Forbidden',
  message,
  ...(causes.length > 0 && { causes }),
});
