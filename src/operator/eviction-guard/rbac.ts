import { lockPermissions } from '../lock/rbac.ts';
import type { Permissions } from '../rbac.ts';

const read = ['get', 'list', 'watch'] as const;

export const permissions: Permissions = {
  cluster: [
    { apiGroups: ['drover.dev'], resources: ['evictionguards'], verbs: read },
    { apiGroups: ['drover.dev'], resources: ['evictionguards/status'], verbs: ['patch'] },
    // The finalizer that is held while guardDeletes is on.
    { apiGroups: ['drover.dev'], resources: ['evictionguards'], verbs: ['patch'] },
    // Who owns an object may only be said with the right to set finalizers on the owner, where the API server is told to see to that.
    { apiGroups: ['drover.dev'], resources: ['evictionguards/finalizers'], verbs: ['update'] },
    // The guarded pods, and whether their data travels with them. Only read in namespaces that have guards.
    { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims'], verbs: read },
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: read },
    ...lockPermissions,
    // The engine's own tool runs inside one of the pods. A WebSocket begins as a GET; since 1.35 it has to be allowed to create as well.
    { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
    // The connection string.
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    // Only read where the trigger asks for it, or somebody for a pod.
    { apiGroups: [''], resources: ['nodes'], verbs: read },
    // What refuses a plain DELETE, where guardDeletes is on.
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingadmissionpolicybindings'],
      verbs: ['list', 'create', 'update', 'delete'],
    },
  ],
  own: [],
};
