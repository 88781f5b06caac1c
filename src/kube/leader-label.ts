import { backoffDelay } from './backoff.ts';
import type { KubeClient } from './client.ts';
import type { Clock } from './clock.ts';
import { minutes, seconds, sleep } from './clock.ts';
import { jsonCodec } from './codec.ts';
import { isNotFound } from './errors.ts';
import { harmlessly } from './harmlessly.ts';
import type { LeaderGate } from './leader-gate.ts';
import { assertLeading } from './leader-gate.ts';
import type { LeaderMark } from './leader-lease-options.ts';
import type { ObjectMeta } from './object.ts';
import type { Random } from './random.ts';
import type { Pod } from './resources.ts';
import { pods } from './resources.ts';

export interface LeaderLabelOptions {
  /** Without a fence: the label is taken off after leading has ended. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly gate: LeaderGate;
  readonly mark: LeaderMark;
  /** Hears what went wrong; it will be tried again. */
  readonly onTrouble: (error: unknown) => void;
}

/** A label that a predecessor's late request set after we had cleaned up is found at the next look. */
const lookAgain = minutes(1);
const retry = { first: seconds(1), most: minutes(1), factor: 2, jitter: 0.5 };
const callLimit = seconds(5);

const metadata = jsonCodec<Pod, ObjectMeta>((pod) => pod.metadata);

/**
 * Keeps the label on the own pod and on no other of its namespace until the signal is aborted, then takes it off, within 5 s or not at
 * all. Never rejects: a label that cannot be set is reported and tried again, and nothing depends on it but who finds the leader.
 */
export async function holdLeaderLabel(options: LeaderLabelOptions, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await settleLabels(options, signal);
      failures = 0;
    } catch (error) {
      if (!signal.aborted) harmlessly(() => options.onTrouble(error));
      failures++;
    }
    const pause = failures === 0 ? lookAgain : backoffDelay(retry, failures, options.random);
    await sleep(options.clock, pause, signal).catch(() => {});
  }
  const own = { name: options.mark.pod.name };
  await setLabel(options, own, null, new AbortController().signal).catch((error: unknown) => {
    if (!isNotFound(error)) harmlessly(() => options.onTrouble(error));
  });
}

/** Others first, so that two pods are never marked at once by us. Writes nothing when all is as it should be. */
async function settleLabels(options: LeaderLabelOptions, signal: AbortSignal): Promise<void> {
  const { client, gate, mark } = options;
  const { items } = await client.list(pods, metadata, {
    signal,
    deadline: callLimit,
    labelSelector: `${mark.key}=${valueOf(mark)}`,
    ...(mark.pod.namespace !== undefined && { namespace: mark.pod.namespace }),
  });
  for (const pod of items.filter(({ name }) => name !== mark.pod.name)) {
    assertLeading(gate, `taking the label ${mark.key} off pod ${pod.name}`);
    await setLabel(options, pod, null, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
  if (items.some(({ name }) => name === mark.pod.name)) return;
  assertLeading(gate, `setting the label ${mark.key} on pod ${mark.pod.name}`);
  await setLabel(options, { name: mark.pod.name }, valueOf(mark), signal);
}

async function setLabel(
  { client, mark }: LeaderLabelOptions,
  pod: Pick<ObjectMeta, 'name' | 'resourceVersion'>,
  value: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { name, resourceVersion } = pod;
  const body = { metadata: { resourceVersion, labels: { [mark.key]: value } } };
  await client.patch(pods, { ...mark.pod, name }, { type: 'merge', body }, { signal, deadline: callLimit });
}

function valueOf(mark: LeaderMark): string {
  return mark.value ?? 'true';
}
