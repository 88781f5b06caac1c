import type { ContainerStatus, Pod } from '../../../kube/resources.ts';

/** Enough to know why. */
const mostWords = 512;

/** What every container goes through when it is started. */
const ordinary: ReadonlySet<string> = new Set(['', 'ContainerCreating', 'PodInitializing']);
/** The kubelet says one and the other in turn. */
const pulling: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

/**
 * What the kubelet says of the first container that does not start, or does not stay; null: nothing. It stays the same for as long as nothing else is
 * the matter, through all attempts and their growing pauses: it is told to people, and not with every attempt.
 */
export function brokenContainer({
  containerStatuses = [],
  initContainerStatuses = [],
}: NonNullable<Pod['status']>): string | null {
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const words = container.ready ? undefined : trouble(container);
    if (words !== undefined) return words.slice(0, mostWords);
  }
  return null;
}

function trouble({ name, image = '', state = {}, lastState = {} }: ContainerStatus): string | undefined {
  const { reason = '', message = '' } = state.waiting ?? {};
  if (pulling.has(reason)) return `the image ${image} of ${name} cannot be pulled`;
  const end = state.terminated ?? lastState.terminated;
  // One that does its work and ends, as those before the others do.
  if (end !== undefined && end.exitCode !== 0)
    return `${name} ended with exit code ${end.exitCode}${because(end.reason)}`;
  if (reason === 'CrashLoopBackOff') return `${name} ends again and again`;
  if (ordinary.has(reason)) return undefined;
  return `${name} does not start: ${reason}${message === '' ? '' : `: ${message}`}`;
}

/** `Error` says no more than the exit code. */
const because = (reason = ''): string => (reason === '' || reason === 'Error' ? '' : ` (${reason})`);
