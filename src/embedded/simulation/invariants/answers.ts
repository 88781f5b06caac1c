import { millis } from '../../../kube/clock.ts';
import { describeError } from '../../../kube/error-description.ts';
import type { Answered } from '../../operated/embedded-webhook.ts';
import type { Violation } from './violation.ts';
import { violation } from './violation.ts';

/** What a real eviction may be answered with: everything else ends `kubectl drain` with an error. */
const mildCodes: ReadonlySet<number> = new Set([429, 404]);
/** The API server gives the webhook so much time, and lets the eviction through to the lock then. */
const deadline = millis(3000);

/** I11, as the webhook answered. Nobody in a run asks on trial. */
export function judgeAnswer(answered: Answered): Violation | undefined {
  const { name } = answered.request;
  if ('failure' in answered)
    return violation('I11', `the eviction of ${name} was not answered: ${describeError(answered.failure).message}`);
  const { answer, took } = answered;
  if (took >= deadline) return violation('I11', `the eviction of ${name} was answered after ${took} ms`);
  return answer.allowed ? undefined : judgeStatus(name ?? '', answer.code, answer.message);
}

/** I11, as the one who evicts hears it. */
export const judgeStatus = (pod: string, status: number, message: string): Violation | undefined =>
  mildCodes.has(status)
    ? undefined
    : violation('I11', `the eviction of ${pod} was answered with ${status}: ${message}`);
