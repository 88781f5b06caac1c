import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { AdmissionRequest } from './admission-review.ts';
import { formatReview, MalformedReview, parseReview } from './admission-review.ts';
import type { AdmissionObserver, AdmissionRoute } from './admission-route.ts';
import type { Clock, Millis } from './clock.ts';
import { millis, seconds } from './clock.ts';
import { parseGoDuration } from './go-duration.ts';
import { harmlessly } from './harmlessly.ts';
import { BodyTooLarge, readRequestBody } from './request-body.ts';

/** What goes back over HTTP. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ExchangeLimits {
  /** Of one body, in bytes. */
  readonly body: number;
  /** For an answer, where the caller names no time of its own. */
  readonly time: Millis;
  /** How much earlier than the caller's own deadline we answer, so that the answer still arrives. */
  readonly margin: Millis;
}

export interface Exchange {
  readonly webhook: string;
  readonly route: AdmissionRoute;
  readonly request: IncomingMessage | Http2ServerRequest;
  /** What all exchanges of a server hold together; false when that would be too much. */
  readonly mayHold: (bytes: number) => boolean;
  readonly limits: ExchangeLimits;
  readonly clock: Clock;
  readonly observer: AdmissionObserver;
  /** Aborted when the caller has gone or the server is stopped, and by the exchange itself when its time is over. */
  readonly end: AbortController;
}

/** The API allows a webhook no more. Without it a caller could hold a body for as long as it likes. */
const longestTime = seconds(30);

/** No answer came in time; what `handle` finds as the reason of its signal. */
export class AnswerOverdue extends Error {
  override readonly name = 'AnswerOverdue';
  readonly code = 'AnswerOverdue';
}

/**
 * One request, from its headers to the reply. What is no proper review gets a 4xx that says why; a proper one always gets a review back,
 * in time. Never rejects; undefined where nobody waits for a reply any more.
 */
export async function exchange(context: Exchange): Promise<Reply | undefined> {
  const { clock, limits, request, end } = context;
  const refusal = refuse(request, limits);
  if (refusal !== undefined) return refusal;
  const limit = timeFor(request.url ?? '', limits);
  const timer = clock.after(limit, () => end.abort(new AnswerOverdue(`no answer within ${limit / 1000} s`)));
  try {
    const review = parseReview(await readRequestBody(request, holder(context), end.signal));
    return await decide(context, review, limit);
  } catch (error) {
    if (error instanceof BodyTooLarge) return tooLarge(limits);
    if (error instanceof MalformedReview) return plain(400, error.message);
    if (isOverdue(end.signal)) return plain(408, `the body did not arrive within ${limit / 1000} s`);
    return undefined;
  } finally {
    timer.cancel();
  }
}

/** As against: the caller has gone. */
function isOverdue(signal: AbortSignal): boolean {
  return signal.reason instanceof AnswerOverdue;
}

export function plain(status: number, text: string, headers?: Readonly<Record<string, string>>): Reply {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n`, ...(headers && { headers }) };
}

/** What can be seen without reading the body. */
function refuse({ method, headers }: Exchange['request'], limits: ExchangeLimits): Reply | undefined {
  if (method !== 'POST') return plain(405, `${method} is not allowed here, only POST`, { allow: 'POST' });
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'application/json') {
    return plain(415, `the content type is ${JSON.stringify(type.slice(0, 100))}, expected application/json`);
  }
  return Number(headers['content-length'] ?? 0) > limits.body ? tooLarge(limits) : undefined;
}

function tooLarge(limits: ExchangeLimits): Reply {
  return plain(413, `the body is larger than ${limits.body} bytes, or too many large ones came at once`);
}

function holder({ mayHold, limits }: Exchange): (bytes: number) => boolean {
  let held = 0;
  return (bytes) => {
    held += bytes;
    return held <= limits.body && mayHold(bytes);
  };
}

/** The API server says how long it waits: `?timeout=3s`. Half of a very short time is ours, whatever the margin. */
function timeFor(url: string, limits: ExchangeLimits): Millis {
  const asked = parseGoDuration(/[?&]timeout=([^&]*)/.exec(url)?.[1] ?? '');
  if (asked === undefined || asked <= 0) return limits.time;
  return millis(Math.min(longestTime, Math.max(asked - limits.margin, asked / 2)));
}

async function decide(
  { webhook, route, observer, end: { signal } }: Exchange,
  review: AdmissionRequest,
  limit: Millis,
): Promise<Reply | undefined> {
  const failed = (error: unknown) => harmlessly(() => observer.failed?.(webhook, review, error));
  try {
    const answer = route.handle(review, signal);
    const known = answer instanceof Promise ? await untilAborted(answer, signal, failed) : answer;
    return reviewReply(formatReview(review.uid, known));
  } catch (error) {
    if (signal.aborted && !isOverdue(signal)) return undefined;
    try {
      if (isOverdue(signal)) {
        harmlessly(() => observer.timedOut?.(webhook, review, limit));
        return reviewReply(formatReview(review.uid, route.onTimeout(review)));
      }
      failed(error);
      return reviewReply(formatReview(review.uid, route.onError(review, error)));
    } catch (secondError) {
      failed(secondError);
      return plain(500, 'the webhook failed');
    }
  }
}

function reviewReply(body: string): Reply {
  return { status: 200, contentType: 'application/json', body };
}

/** The result, or the signal's reason as soon as it is aborted. A failure after that goes to `late`, unless it is that very reason. */
function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  late: (error: unknown) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (result) => {
        signal.removeEventListener('abort', onAbort);
        resolve(result);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted && error !== signal.reason) late(error);
        reject(error);
      },
    );
  });
}
