import { backoffDelay } from '../kube/backoff.ts';
import type { KubeClient } from '../kube/client.ts';
import { millis, seconds, sleep } from '../kube/clock.ts';
import { ConfigurationError, isForbidden, isUnauthorized } from '../kube/errors.ts';
import type { OperatorOptions } from './operator-options.ts';

const backoff = { first: millis(500), most: seconds(15), factor: 2, jitter: 0.5 };

/**
 * Waits until the API server answers. A server that is down comes back, so that is waited for, aloud; what only a person can mend (a wrong
 * CA, credentials that are refused) rejects with `ConfigurationError` at once.
 */
export async function firstContact(
  client: KubeClient,
  { connection, clock, random, logger }: OperatorOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      const { gitVersion } = await client.read<{ readonly gitVersion?: string }>('/version', {
        signal,
        deadline: seconds(10),
        retry: 'never',
      });
      logger.info('the API server answers', { server: connection.server.origin, version: gitVersion ?? 'unknown' });
      return;
    } catch (error) {
      if (signal.aborted || error instanceof ConfigurationError) throw error;
      if (isUnauthorized(error)) {
        throw new ConfigurationError(
          `${connection.server.origin} does not accept the credentials in ${connection.source}; are they expired?`,
          error,
        );
      }
      // Whoever may not read the version may still be let in elsewhere.
      if (isForbidden(error)) return;
      logger.warn('the API server does not answer, trying again', { server: connection.server.origin, error });
    }
    await sleep(clock, backoffDelay(backoff, failures, random), signal);
  }
}
