import type { AdmissionAnswer, AdmissionRequest } from './admission-review.ts';
import type { Millis } from './clock.ts';

/** Who answers at one path. */
export interface AdmissionRoute {
  /**
   * Answers from memory, or with one quick write. The signal is aborted when the time is up or the caller has gone: what is answered after
   * that is not heard.
   */
  readonly handle: (request: AdmissionRequest, signal: AbortSignal) => AdmissionAnswer | Promise<AdmissionAnswer>;
  /** The answer where `handle` threw. Stated by every route, because an exception must be an answer too, and only the route knows which. */
  readonly onError: (request: AdmissionRequest, error: unknown) => AdmissionAnswer;
  /** The answer where `handle` did not come to one in time. */
  readonly onTimeout: (request: AdmissionRequest) => AdmissionAnswer;
}

/** Hears what the server does, for logs and metrics. What it throws is dropped. */
export interface AdmissionObserver {
  /** A request for a route began. controller-runtime: `controller_runtime_webhook_requests_in_flight` */
  started?(webhook: string): void;
  /** It ended with this HTTP status; 499 where the caller did not wait for it. controller-runtime: `..._requests_total`, `..._latency_seconds` */
  ended?(webhook: string, status: number, duration: Millis): void;
  /** `handle` threw (or `onError` or `onTimeout` did, after which the caller got a plain 500). */
  failed?(webhook: string, request: AdmissionRequest, error: unknown): void;
  /** `handle` had no answer in time. */
  timedOut?(webhook: string, request: AdmissionRequest, limit: Millis): void;
  /** A caller did not get as far as a request: no connection, or no handshake. `unknown ca` here means that it does not trust our certificate. */
  handshakeFailed?(error: Error): void;
}
