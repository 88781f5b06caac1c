import type { Pod } from '../../kube/resources.ts';
import type { PodView } from '../stateful-cluster/seen/pod.ts';
import { podView } from '../stateful-cluster/seen/pod.ts';

/** What is kept of a pod that a guard might select. */
export interface GuardedPodView extends PodView {
  /** The names of the claims that its volumes use. A volume that is made for the pod alone is none: its data goes with the pod. */
  readonly claims: readonly string[];
  /** Kubernetes wants it off its node because of a taint. Where `guardDeletes` refused that, nobody tries again. */
  readonly isTaintEvicted: boolean;
}

/** The projection of a cache of pods. */
export const guardedPodView = (pod: Pod): GuardedPodView => ({
  ...podView(pod),
  claims: (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
  ),
  isTaintEvicted: (pod.status?.conditions ?? []).some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'DeletionByTaintManager',
  ),
});
