import { names } from '../names.ts';
import type { PolicyRule } from '../rbac.ts';

const read = ['get', 'list', 'watch'] as const;

/** What whoever locks pods needs, whatever else it does. */
export const lockPermissions: readonly PolicyRule[] = [
  // The lock, and whether somebody else's budget stands in its way.
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: [...read, 'create', 'update', 'delete'] },
  // What covers pods on which somebody else's budget is. A create cannot be limited to a name.
  { apiGroups: ['admissionregistration.k8s.io'], resources: ['validatingwebhookconfigurations'], verbs: ['create'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations'],
    resourceNames: [names.foreignConfiguration],
    verbs: ['get', 'list', 'watch', 'update', 'delete'],
  },
  // The mark by which the API server knows where to ask the webhook.
  { apiGroups: [''], resources: ['namespaces'], verbs: [...read, 'patch'] },
  // The label that opens the lock for one pod.
  { apiGroups: [''], resources: ['pods'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  // Who asks: NodeDrains.
  { apiGroups: ['drover.dev'], resources: ['nodedrains'], verbs: read },
];
