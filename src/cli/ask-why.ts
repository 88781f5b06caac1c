import type { KubeClient } from '../kube/client.ts';
import { ConfigurationError, isNotFound, KubeApiError } from '../kube/errors.ts';
import type { ObjectKey } from '../kube/object.ts';
import type { Pod } from '../kube/resources.ts';
import { pods } from '../kube/resources.ts';
import { dryRunMessages } from '../operator/admission/held-back.ts';

/** Whether a pod may go now, as Drover itself answers it. */
export interface Why {
  readonly pod: string;
  readonly node: string | null;
  /** `unanswered`: the lock holds it, and Drover did not say why. */
  readonly answer: 'goes' | 'waits' | 'never' | 'unguarded' | 'unanswered';
  /** In the words of whoever answered. */
  readonly reasons: readonly string[];
}

/** Asks for the eviction of a pod as a dry run: what comes back is what a real one would meet, and nothing is changed. */
export async function askWhy(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Why> {
  const pod = await podOf(client, key, signal);
  const about = { pod: `${key.namespace}/${key.name}`, node: pod.spec.nodeName ?? null };
  const heard: string[] = [];
  const onWarning = (warning: string) => heard.push(warning.replace(/^drover: /, ''));
  try {
    const preconditions = { uid: pod.metadata.uid ?? '' };
    await client.evict(key, { signal, dryRun: true, preconditions, onWarning });
    return { ...about, answer: 'unguarded', reasons: heard };
  } catch (error) {
    if (!(error instanceof KubeApiError)) throw error;
    const words = [error.message.replace(/^.*?denied the request: (?:drover: )?/, '').replace(/ \(\d+\)$/, '')];
    const answer = answerOf(error);
    if (answer === undefined) throw error;
    return { ...about, answer, reasons: error.status === 404 ? heard : [...words, ...heard] };
  }
}

/** undefined: it is no answer of Drover's, nor of the lock. */
function answerOf({ status, message }: KubeApiError): Why['answer'] | undefined {
  if (status === 404) return message.includes(dryRunMessages.waits) ? 'waits' : 'goes';
  if (status === 429) return 'unanswered';
  return status === 403 && message.includes('drover: ') ? 'never' : undefined;
}

async function podOf(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Pod> {
  try {
    return await client.get(pods, key, { signal });
  } catch (error) {
    if (isNotFound(error)) throw new ConfigurationError(`there is no pod ${key.name} in namespace ${key.namespace}`);
    throw error;
  }
}
