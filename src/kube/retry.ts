import { ConnectionLost, KubeApiError } from './errors.ts';

/** Answers after which a read may be repeated: none of them says that the next one will be the same. */
const passing = new Set([429, 500, 502, 503, 504]);

/**
 * Whether a failed call may simply be sent again. A write only where the server certainly did not act: it said "later" (429), or the
 * connection never stood. A half-done write that is sent again would hide that the first one worked.
 */
export function mayTryAgain(method: string, error: unknown): boolean {
  const read = method === 'GET';
  if (error instanceof KubeApiError) return read ? passing.has(error.status) : error.status === 429;
  return error instanceof ConnectionLost && (read || !error.sent);
}
