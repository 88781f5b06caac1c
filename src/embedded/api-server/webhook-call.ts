import type { JsonObject } from './json.ts';

/** One call to an admission webhook. */
export interface WebhookCall {
  /** The name of the webhook in its configuration. */
  readonly name: string;
  readonly url: string | undefined;
  readonly service:
    | { readonly namespace: string; readonly name: string; readonly path: string; readonly port: number }
    | undefined;
  /** PEM in base64; empty for the system's own authorities. */
  readonly caBundle: string;
  readonly timeoutSeconds: number;
  /** The AdmissionReview that is sent. */
  readonly review: JsonObject;
}

/**
 * Reaches a webhook, in this process or over HTTPS, and gives the AdmissionReview that it answers with. Rejects with an error whose message says
 * what went wrong; the webhook's failure policy decides what that means.
 */
export type WebhookCaller = (call: WebhookCall, signal: AbortSignal) => Promise<JsonObject>;
