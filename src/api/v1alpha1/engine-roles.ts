import type { EngineType } from '../../model/cluster-spec.ts';

/**
 * The roles that an engine knows, where it knows a fixed set. A role that the engine does not know would have no rule, so
 * the API server refuses it. Engines that are not listed take any name.
 */
export const engineRoles: { readonly [engine in EngineType]?: readonly string[] } = {
  foundationdb: [
    'storage',
    'log',
    'transaction',
    'coordinator',
    'stateless',
    'cluster_controller',
    'proxy',
    'commit_proxy',
    'grv_proxy',
    'backup',
    'test',
    'general',
  ],
  arangodb: [
    'agent',
    'dbserver',
    'coordinator',
    'single',
    'single-active-failover',
    'syncmaster',
    'syncworker',
    'image-id',
  ],
};
