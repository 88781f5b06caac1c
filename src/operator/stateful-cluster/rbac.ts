import type { Permissions } from '../rbac.ts';

export const permissions: Permissions = {
  cluster: [
    { apiGroups: ['drover.dev'], resources: ['statefulclusters'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['drover.dev'], resources: ['statefulclusters/status'], verbs: ['patch'] },
  ],
  own: [],
};
