import type { KubeClient } from '../../kube/client.ts';
import { KubeApiError } from '../../kube/errors.ts';
import { parseKey } from '../../kube/object.ts';
import type { Drain, DrainPod, GuardWord, WaitReason } from '../../model/drain.ts';
import { reasons } from '../../model/reasons.ts';
import { dryRunMessages } from '../admission/held-back.ts';

/** A person waits, and the API server has others to serve. */
const mostAsked = 200;
const mostInFlight = 8;

/**
 * With what an eviction would be told of guarded pods that nobody has asked for yet: of these a guard has no reasons on record. They are asked for as a
 * dry run, as `kubectl drain --dry-run=server` does it. Where there are very many, or nothing can be learned, the record stands.
 */
export async function askAhead(client: KubeClient, drain: Drain, signal: AbortSignal): Promise<Drain> {
  const line = drain.nodes.flatMap(({ pods }) => pods ?? []).filter(isUnexplained);
  const words = new Map<DrainPod, GuardWord>();
  const left = line.slice(0, mostAsked).values();
  const askOn = async () => {
    for (const pod of left) {
      const word = await wordOn(client, pod, signal);
      if (word !== undefined) words.set(pod, word);
    }
  };
  await Promise.all(Array.from({ length: mostInFlight }, askOn));
  const nodes = drain.nodes.map((node) => ({
    ...node,
    pods: node.pods?.map((pod) => ({ ...pod, guarded: words.get(pod) ?? pod.guarded })) ?? null,
  }));
  return { ...drain, nodes };
}

const isUnexplained = ({ guarded, finished, deletingSince }: DrainPod): boolean =>
  guarded?.reasons[0]?.code === reasons.notAskedYet.code && !finished && deletingSince === null;

/** undefined: nothing more than what is on record. */
async function wordOn(client: KubeClient, pod: DrainPod, signal: AbortSignal): Promise<GuardWord | undefined> {
  const { name, uid, guarded } = pod;
  if (guarded === null) return undefined;
  const heard: string[] = [];
  const onWarning = (warning: string) => heard.push(warning.replace(/^drover: /, ''));
  try {
    await client.evict(parseKey(name), { signal, dryRun: true, preconditions: { uid }, onWarning });
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof KubeApiError)) return undefined;
    if (isLockAlone(error)) return { ...guarded, reasons: guarded.reasons.map(unanswered) };
    const verdict = verdictIn(error);
    if (verdict === undefined) return undefined;
    return { ...guarded, verdict, reasons: verdict === 'allow' ? [] : reasonsIn(error, heard) };
  }
}

function verdictIn({ status, message }: KubeApiError): GuardWord['verdict'] | undefined {
  if (status === 404 && message.includes(dryRunMessages.waits)) return 'wait';
  if (status === 404 && message.includes(dryRunMessages.goes)) return 'allow';
  return status === 403 && message.includes('drover: ') ? 'never' : undefined;
}

/** Drover tells a dry run of a closed pod apart from the budget's own refusal: where that comes, nobody of Drover answered. */
const isLockAlone = ({ status, message }: KubeApiError): boolean => status === 429 && !message.includes('drover: ');

const unanswered = (reason: WaitReason): WaitReason => ({
  ...reason,
  message: `${reason.message}; Drover does not answer now, so why is not known: is its pod running?`,
});

/** Word for word; of what was decided too long ago only the words are told. */
function reasonsIn({ details }: KubeApiError, heard: readonly string[]): readonly WaitReason[] {
  const untimed = { since: null, until: null };
  const causes = (details?.causes ?? []).flatMap(({ reason, message }): WaitReason[] =>
    reason === undefined || message === undefined ? [] : [{ code: reason, message, ...untimed }],
  );
  if (causes.length > 0) return causes;
  return heard.map((message) => ({ code: reasons.notAskedYet.code, message, ...untimed }));
}
