import { names } from './names.ts';
import type { Permissions } from './rbac.ts';

/** What the operator needs for itself, whatever its controllers do. */
export const operatorPermissions: Permissions = {
  cluster: [
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      resourceNames: [names.webhookConfiguration, names.foreignConfiguration],
      verbs: ['get', 'patch'],
    },
  ],
  own: [
    // A create cannot be limited to a name, because the name is not known when it is checked.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [names.lease],
      verbs: ['get', 'update'],
    },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: [names.certificateSecret], verbs: ['get', 'update'] },
    // The label on the leader's pod: set on the own one, taken from the last one's.
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'patch'] },
  ],
};
