import type { Permissions } from '../rbac.ts';

const read = ['get', 'list', 'watch'] as const;

export const permissions: Permissions = {
  cluster: [
    { apiGroups: ['drover.dev'], resources: ['nodedrains'], verbs: [...read, 'patch'] },
    { apiGroups: ['drover.dev'], resources: ['nodedrains/status'], verbs: ['patch'] },
    // What guards say of their pods.
    { apiGroups: ['drover.dev'], resources: ['statefulclusters', 'evictionguards'], verbs: read },
    // Cordon and uncordon. Only read once there is a NodeDrain, which says so where that is refused.
    { apiGroups: [''], resources: ['nodes'], verbs: [...read, 'patch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
    // Which budgets a pod is under: how many may go at once, and who holds it.
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: read },
    // A node is done when its volumes are detached. Those of pods that stay do not count.
    { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: read },
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] },
    // Claims that go with their process groups, unless they can be used on any node.
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get'] },
  ],
  own: [],
};
