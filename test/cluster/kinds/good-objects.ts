import type { EvictionGuardSpecInput } from '../../../src/api/v1alpha1/eviction-guard.schema.ts';
import type { NodeDrainSpecInput } from '../../../src/api/v1alpha1/node-drain.schema.ts';
import type { StatefulClusterSpecInput } from '../../../src/api/v1alpha1/stateful-cluster.schema.ts';

/** One good object of each kind, with something in every corner, so that a row of the table only has to spoil one field. */

const statefulCluster: StatefulClusterSpecInput = {
  engine: { type: 'foundationdb', version: '7.3.63', foundationdb: {} },
  roles: [
    {
      name: 'storage',
      count: 3,
      template: { spec: { containers: [] } },
      volumeClaimTemplate: { accessModes: ['ReadWriteOnce'] },
    },
    { name: 'log', count: 2 },
  ],
  unitPolicies: [{ selector: { names: ['orders'] }, drainPolicy: 'always-allow' }],
  processGroupsToRemove: ['storage-1'],
  cancelReplacementsForInstance: ['storage-1'],
  automationOptions: {
    replacements: {
      taintReplacementOptions: [{ key: 'example.com/maintenance', durationInSeconds: 3600 }],
      detector: {},
    },
  },
};

const evictionGuard: EvictionGuardSpecInput = {
  engine: { type: 'etcd', etcd: { port: 2379 } },
  roles: [
    {
      name: 'member',
      selector: { matchLabels: { app: 'etcd' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['data'] }] },
    },
  ],
};

const nodeDrain: NodeDrainSpecInput = { nodes: ['n1', 'n2'], pods: {} };

export const goodObjects = {
  StatefulCluster: {
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'StatefulCluster',
    metadata: { name: 'orders', namespace: 'default' },
    spec: statefulCluster,
  },
  EvictionGuard: {
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'EvictionGuard',
    metadata: { name: 'etcd', namespace: 'default' },
    spec: evictionGuard,
  },
  NodeDrain: { apiVersion: 'drover.dev/v1alpha1', kind: 'NodeDrain', metadata: { name: 'drain' }, spec: nodeDrain },
} as const;
export type KindName = keyof typeof goodObjects;

const secret = { name: 'secret' };
const otherEngines = [
  { type: 'arangodb', arangodb: { jwtSecretRef: secret, tlsSecretRef: secret } },
  { type: 'etcd', etcd: { credentialsSecretRef: secret, tlsSecretRef: secret } },
  { type: 'redis', redis: { username: 'drover', passwordSecretRef: secret } },
  { type: 'http', http: { url: 'https://ledger.db/admin', bearerTokenSecretRef: secret, tlsSecretRef: secret } },
  { type: 'http', http: { port: 8080, path: '/admin', tlsServerName: 'ledger.db.svc' } },
];
const guardEngines = [
  ...otherEngines,
  { type: 'longhorn', longhorn: {} },
  { type: 'foundationdb', foundationdb: { fdbcli: { runIn: 'Operator' }, connectionString: { name: 'orders' } } },
];

function withSpec(kind: KindName, spec: object): object {
  return { ...goodObjects[kind], spec };
}

const clusterRoles = [{ name: 'coordinator', count: 1 }];
const guardRoles = [{ name: 'coordinator', selector: { matchLabels: { a: 'b' } } }];

/** More good objects: one for each engine, and a drain by labels. */
export const goodVariants: { readonly [kind in KindName]: readonly object[] } = {
  StatefulCluster: [
    goodObjects.StatefulCluster,
    ...otherEngines.map((engine) => withSpec('StatefulCluster', { engine, roles: clusterRoles })),
  ],
  EvictionGuard: [
    goodObjects.EvictionGuard,
    ...guardEngines.map((engine) => withSpec('EvictionGuard', { engine, roles: guardRoles })),
  ],
  NodeDrain: [goodObjects.NodeDrain, withSpec('NodeDrain', { nodeSelector: { matchLabels: { pool: 'blue' } } })],
};

/** A copy of the object with one field set, or taken out where the value is undefined: `spec.roles.0.count`. */
export function withField(object: unknown, path: string, value: unknown): unknown {
  const [step, ...rest] = path.split('.');
  if (step === undefined || step === '') return value;
  if (Array.isArray(object))
    return object.map((item, index) => (index === Number(step) ? withField(item, rest.join('.'), value) : item));
  const members: Record<string, unknown> = typeof object === 'object' && object !== null ? { ...object } : {};
  const member = withField(members[step], rest.join('.'), value);
  if (member === undefined) delete members[step];
  else members[step] = member;
  return members;
}
