import { at, equal } from '../../api-server/json.ts';
import type { Change } from '../../api-server/store.ts';
import { hasEnded, isDeleting, podView } from '../pod-view.ts';

/** Whether a change of a pod can make a pod fit that did not fit before. What a kubelet writes of a running pod cannot. */
export function podMatters({ type, stored, previous }: Change): boolean {
  const pod = podView(stored.object);
  if (type !== 'MODIFIED' || previous === undefined) return type === 'DELETED' || pod.nodeName === '';
  const before = podView(previous.object);
  return (
    pod.nodeName !== before.nodeName ||
    hasEnded(pod) !== hasEnded(before) ||
    isDeleting(pod) !== isDeleting(before) ||
    !equal(pod.labels, before.labels) ||
    (pod.nodeName === '' && !equal(stored.object['spec'], previous.object['spec']))
  );
}

/** Heartbeats and conditions do not matter: what they mean for pods stands in the taints. */
export function nodeMatters({ type, stored, previous }: Change): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return true;
  const changed = (...path: readonly string[]) => !equal(at(stored.object, ...path), at(previous.object, ...path));
  return changed('spec') || changed('metadata', 'labels') || changed('status', 'allocatable');
}
