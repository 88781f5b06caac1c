import type { Clock, Millis } from './clock.ts';
import { deadline, seconds } from './clock.ts';

/** `undefined` when all is well, otherwise one line that says what is not. */
export type CheckResult = string | undefined;

/** A question with a name. It fails by saying why, by throwing, or by not answering in time. */
export interface HealthCheck {
  readonly name: string;
  readonly check: (signal: AbortSignal) => CheckResult | Promise<CheckResult>;
}

export interface HealthReport {
  readonly healthy: boolean;
  /** As the API server words it: `[+]cache-sync ok`, `[-]lease failed: <reason>`. */
  readonly lines: readonly string[];
}

const limit = seconds(2);

/** Asks all checks at once. Never rejects; a check that throws or takes longer than 2 s has failed. */
export async function runChecks(checks: readonly HealthCheck[], clock: Clock): Promise<HealthReport> {
  const results = await Promise.all(checks.map((check) => ask(check, clock, limit)));
  return {
    healthy: results.every((result) => result === undefined),
    lines: checks.map(({ name }, index) => {
      const failure = results[index];
      return failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${oneLine(failure)}`;
    }),
  };
}

async function ask({ check }: HealthCheck, clock: Clock, within: Millis): Promise<CheckResult> {
  const never = new AbortController().signal;
  // No `using`: the layering check cannot read it yet.
  const time = deadline(clock, within, never, () => new Error(`no answer within ${within / 1000} s`));
  const tooLate = new Promise<CheckResult>((resolve) => {
    time.signal.addEventListener('abort', () => resolve(reasonOf(time.signal.reason)), { once: true });
  });
  try {
    return await Promise.race([answer(check, time.signal), tooLate]);
  } finally {
    time.dispose();
  }
}

async function answer(check: HealthCheck['check'], signal: AbortSignal): Promise<CheckResult> {
  try {
    return await check(signal);
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
