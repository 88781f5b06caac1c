import { lockPermissions } from '../lock/rbac.ts';
import type { Permissions } from '../rbac.ts';

const read = ['get', 'list', 'watch'] as const;

export const permissions: Permissions = {
  cluster: [
    { apiGroups: ['drover.dev'], resources: ['statefulclusters'], verbs: read },
    { apiGroups: ['drover.dev'], resources: ['statefulclusters/status'], verbs: ['patch'] },
    // The process groups of a cluster. One that is found by its labels and has no owner gets one by a patch.
    {
      apiGroups: [''],
      resources: ['pods', 'persistentvolumeclaims', 'services'],
      verbs: [...read, 'create', 'patch', 'delete'],
    },
    ...lockPermissions,
    // The engine's own tool runs inside one of the pods. A WebSocket begins as a GET; since 1.35 it has to be allowed to create as well.
    { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
    // Its connection string.
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
    // Whether data travels with its pod.
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: read },
    // Only read where taintReplacementOptions or the trigger ask for it, or somebody for a pod, and for NodeDrains: without any of these the operator
    // is ready, and runs and guards its clusters, without the right.
    { apiGroups: [''], resources: ['nodes'], verbs: read },
    // What clusters share. Without it they do not take turns, and say so.
    { apiGroups: [''], resources: ['resourcequotas'], verbs: read },
    // Its failure detector, which runs as the operator and only says that something is missing.
    { apiGroups: ['batch'], resources: ['cronjobs'], verbs: [...read, 'create', 'update', 'delete'] },
    { apiGroups: ['drover.dev'], resources: ['statefulclusters'], verbs: ['patch'] },
    // Who owns an object may only be said with the right to set finalizers on the owner, where the API server is told to see to that.
    { apiGroups: ['drover.dev'], resources: ['statefulclusters/finalizers'], verbs: ['update'] },
  ],
  own: [],
};
