import { z } from 'zod';
import type { EngineType } from '../../model/cluster-spec.ts';
import { engineTypes } from '../../model/cluster-spec.ts';
import { text } from '../field-types.ts';
import { type Rule, withRules, withTransitionRules } from '../rule.ts';
import {
  arangodbConnection,
  etcdConnection,
  foundationdbConnection,
  httpConnection,
  longhornConnection,
  redisConnection,
} from './engine-connections.schema.ts';

const version = text({
  pattern: /^[0-9]+\.[0-9]+(\.[0-9]+)*([-+][-+.0-9A-Za-z]+)?$/,
  maxLength: 64,
  says: 'must be a version in quotes or with three parts, such as 7.3.63',
});

/** The engines whose pods Drover can own. */
export const clusterEngineTypes = ['foundationdb', 'arangodb', 'etcd', 'redis', 'http'] as const;
/** The engines whose pods Drover can guard. */
export const guardEngineTypes = engineTypes;

/** An engine block: the type, and the member that belongs to it. */
type EngineBlock = { readonly type: EngineType } & { readonly [member in EngineType]?: unknown };

/** The Kubernetes form of a union: the member that is set is the one that `type` names. */
function memberBelongsToType(type: EngineType): Rule<EngineBlock> {
  return {
    cel: `!has(self.${type}) || self.type == '${type}'`,
    message: `engine.${type} is only for engine.type ${type}; remove it, or set engine.type to ${type}`,
    fieldPath: `.${type}`,
    holds: (engine) => engine[type] === undefined || engine.type === type,
  };
}

const httpNeedsAddress: Rule<EngineBlock> = {
  cel: "self.type != 'http' || has(self.http)",
  message: 'engine.http is required for engine.type http: set engine.http.url or engine.http.port',
  holds: (engine) => engine.type !== 'http' || engine.http !== undefined,
};

/** FoundationDB as Drover brings it up. */
export const foundationdbCluster = z.object({
  redundancyMode: z
    .enum(['single', 'double', 'triple'])
    .default('double')
    .describe(
      'How many copies FoundationDB keeps, said once in configure new when the database is created. Cannot be changed here later. Default double.',
    ),
  storageEngine: z
    .enum(['ssd-2', 'ssd-redwood-1', 'ssd-rocksdb-v1', 'ssd-sharded-rocksdb', 'memory-2', 'memory-radixtree'])
    .default('ssd-2')
    .describe(
      'How FoundationDB keeps data on disk, said once in configure new when the database is created. Cannot be changed here later. Default ssd-2.',
    ),
  ...foundationdbConnection,
});

/** FoundationDB as a guard reads it. Drover keeps no connection string for a cluster that is not its own. */
export const foundationdbGuard = withRules(z.object(foundationdbConnection), {
  cel: "self.fdbcli.runIn == 'Pod' || has(self.connectionString)",
  message: 'connectionString is required when fdbcli.runIn is Operator',
  holds: ({ fdbcli, connectionString }) => fdbcli.runIn === 'Pod' || connectionString !== undefined,
});

const arangodbField = arangodbConnection
  .optional()
  .describe('How ArangoDB is built and reached. For type arangodb only. Absent: the defaults.');
const etcdField = etcdConnection.optional().describe('How etcd is reached. For type etcd only. Absent: the defaults.');
const redisField = redisConnection
  .optional()
  .describe('How Redis is reached. For type redis only. Absent: the defaults.');
const httpField = httpConnection
  .optional()
  .describe("Where Drover's three endpoints are served. Required for type http, and for it only.");

/** `spec.engine` of a StatefulCluster. */
export const clusterEngine = withTransitionRules(
  withRules(
    z.object({
      type: z.enum(clusterEngineTypes).describe('The system that runs in the pods. Cannot be changed later.'),
      version: version
        .optional()
        .describe(
          "The engine's version, such as 7.3.63, for people: kubectl get shows it. It chooses no image, which the templates do, and no command: these go by the oldest version that the engine's processes report. Required for type foundationdb.",
        ),
      foundationdb: foundationdbCluster
        .optional()
        .describe('How FoundationDB is created and reached. For type foundationdb only. Absent: the defaults.'),
      arangodb: arangodbField,
      etcd: etcdField,
      redis: redisField,
      http: httpField,
    }),
    ...clusterEngineTypes.map(memberBelongsToType),
    httpNeedsAddress,
    {
      cel: "self.type != 'foundationdb' || has(self.version)",
      message: 'engine.version is required for engine.type foundationdb, such as 7.3.63',
      holds: (engine) => engine.type !== 'foundationdb' || engine.version !== undefined,
    },
  ),
  {
    cel: 'self.type == oldSelf.type',
    message: 'engine.type cannot be changed; create another StatefulCluster and move the data',
    fieldPath: '.type',
  },
  keepsItsValue('foundationdb', 'redundancyMode', 'double', 'change it with fdbcli: configure <mode>'),
  keepsItsValue('foundationdb', 'storageEngine', 'ssd-2', 'change it with fdbcli: configure <engine>'),
  keepsItsValue('arangodb', 'mode', 'Cluster', 'create another StatefulCluster and move the data'),
);

/** A member that is read only once, when the cluster is created. Absent and default are the same value. */
function keepsItsValue(engine: string, member: string, whenAbsent: string, instead: string) {
  const valueOf = (object: string) => `(has(${object}.${engine}) ? ${object}.${engine}.${member} : '${whenAbsent}')`;
  return {
    cel: `${valueOf('self')} == ${valueOf('oldSelf')}`,
    message: `engine.${engine}.${member} cannot be changed here; ${instead}`,
  };
}

/** `spec.engine` of an EvictionGuard. */
export const guardEngine = withRules(
  z.object({
    type: z.enum(guardEngineTypes).describe('The system that runs in the guarded pods.'),
    version: version
      .optional()
      .describe(
        "The engine's version, such as 3.6.8, for people. Drover goes by what the engine says of itself, and reads nothing from here.",
      ),
    foundationdb: foundationdbGuard
      .optional()
      .describe('How FoundationDB is reached. For type foundationdb only. Absent: the defaults.'),
    arangodb: arangodbField,
    longhorn: longhornConnection
      .optional()
      .describe('Where Longhorn is. For type longhorn only. Absent: in the namespace longhorn-system.'),
    etcd: etcdField,
    redis: redisField,
    http: httpField,
  }),
  ...guardEngineTypes.map(memberBelongsToType),
  httpNeedsAddress,
);
