import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';

const core = { group: '', version: 'v1' } as const;
const apps = { group: 'apps', version: 'v1', namespaced: true } as const;

/** The kinds that only the controllers of the cluster write. */
export const claims: Resource<KubeObject> = {
  ...core,
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};
export const volumes: Resource<KubeObject> = {
  ...core,
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
};
export const storageClasses: Resource<KubeObject> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};
export const statefulSets: Resource<KubeObject> = { ...apps, kind: 'StatefulSet', plural: 'statefulsets' };
export const daemonSets: Resource<KubeObject> = { ...apps, kind: 'DaemonSet', plural: 'daemonsets' };
export const budgets: Resource<KubeObject> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

/** Where the store keeps them. */
export const storedAs = {
  pods: 'pods',
  nodes: 'nodes',
  claims: 'persistentvolumeclaims',
  volumes: 'persistentvolumes',
  storageClasses: 'storageclasses.storage.k8s.io',
  statefulSets: 'statefulsets.apps',
  daemonSets: 'daemonsets.apps',
  budgets: 'poddisruptionbudgets.policy',
} as const;
