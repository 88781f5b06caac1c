import { inspect } from 'node:util';

/** Long enough for every real chain, short enough for one that closes on itself. */
const longestChain = 8;

/** An error as it is logged: what happened, for people and for programs, and what it came from. */
export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** The HTTP status of an answer, where the error is one. */
  readonly status?: number;
  readonly cause?: ErrorDescription;
  /** The parts of an `AggregateError`. */
  readonly errors?: readonly ErrorDescription[];
  /** Only where nobody expected the error: then the place is the news. */
  readonly stack?: string;
}

/**
 * Describes anything that was thrown. Expected errors (those with a code of ours or of the system, and aborts) come without a stack, all
 * others with one. Never throws.
 */
export function describeError(error: unknown): ErrorDescription {
  return describe(error, longestChain);
}

function describe(error: unknown, left: number): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error, message: textOf(error) };
  const code = codeOf(error);
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...('status' in error && typeof error.status === 'number' && { status: error.status }),
    ...(error.cause !== undefined && left > 0 && { cause: describe(error.cause, left - 1) }),
    ...(error instanceof AggregateError &&
      left > 0 && { errors: error.errors.slice(0, longestChain).map((part) => describe(part, left - 1)) }),
    ...(!isExpected(error, code) && error.stack !== undefined && { stack: error.stack }),
  };
}

/** `ERR_...` is how Node marks a wrong call, which is a defect, while `ECONNRESET` and the like are ordinary bad days. */
function isExpected(error: Error, code: string | undefined): boolean {
  return error.name === 'AbortError' || (code !== undefined && !code.startsWith('ERR_'));
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function textOf(thrown: unknown): string {
  try {
    return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  } catch {
    return 'something that cannot be printed was thrown';
  }
}
