import type { Cluster } from './cluster.ts';

/** The key of the ConfigMap, and the name of the file, that holds a connection string. */
export const connectionKey = 'fdb.cluster';

/** The ConfigMap in which Drover keeps a cluster's connection string up to date. */
export const connectionName = ({ name }: Pick<Cluster, 'name'>): string => `${name}-connection`;
