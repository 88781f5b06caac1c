import {
  budgetStrategy,
  configMapStrategy,
  eventStrategy,
  leaseStrategy,
  namespaceStrategy,
  quotaStrategy,
  secretStrategy,
  serviceAccountStrategy,
  serviceStrategy,
  webhookConfigurationStrategy,
} from './kinds/core-strategies.ts';
import { customResourceDefinitionStrategy } from './kinds/definition-strategy.ts';
import { eventView } from './kinds/event-view.ts';
import { nodeStrategy } from './kinds/node-strategy.ts';
import { podStrategy } from './kinds/pod-strategy.ts';
import { attachmentStrategy, claimStrategy, storageClassStrategy, volumeStrategy } from './kinds/storage-strategies.ts';
import {
  cronJobStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  jobStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from './kinds/workload-strategies.ts';
import type { ResourceDefinition, Strategy, TableLayout, View } from './resource-definition.ts';
import { builtinSchema } from './schema.ts';
import * as core from './tables/core-tables.ts';
import { nodeTable } from './tables/node-table.ts';
import { podTable } from './tables/pod-table.ts';
import * as storage from './tables/storage-tables.ts';
import * as workloads from './tables/workload-tables.ts';

interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly short?: readonly string[];
  readonly cluster?: true;
  readonly all?: true;
  readonly sub?: readonly string[];
  readonly strategy: Strategy;
  readonly table: TableLayout;
  readonly view?: View;
  readonly storage?: string;
}

const status = ['status'] as const;
const scaled = ['status', 'scale'] as const;

const coreRows: readonly Row[] = [
  { kind: 'ConfigMap', plural: 'configmaps', short: ['cm'], strategy: configMapStrategy, table: core.configMapTable },
  { kind: 'Event', plural: 'events', short: ['ev'], strategy: eventStrategy, table: core.eventTable },
  {
    kind: 'Namespace',
    plural: 'namespaces',
    short: ['ns'],
    cluster: true,
    sub: ['status', 'finalize'],
    strategy: namespaceStrategy,
    table: core.namespaceTable,
  },
  {
    kind: 'Node',
    plural: 'nodes',
    short: ['no'],
    cluster: true,
    sub: status,
    strategy: nodeStrategy,
    table: nodeTable,
  },
  {
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    short: ['pvc'],
    sub: status,
    strategy: claimStrategy,
    table: storage.claimTable,
  },
  {
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    short: ['pv'],
    cluster: true,
    sub: status,
    strategy: volumeStrategy,
    table: storage.volumeTable,
  },
  {
    kind: 'Pod',
    plural: 'pods',
    short: ['po'],
    all: true,
    sub: ['status', 'eviction', 'binding'],
    strategy: podStrategy,
    table: podTable,
  },
  {
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    short: ['quota'],
    sub: status,
    strategy: quotaStrategy,
    table: core.quotaTable,
  },
  { kind: 'Secret', plural: 'secrets', strategy: secretStrategy, table: core.secretTable },
  {
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    short: ['sa'],
    strategy: serviceAccountStrategy,
    table: core.serviceAccountTable,
  },
  {
    kind: 'Service',
    plural: 'services',
    short: ['svc'],
    all: true,
    sub: status,
    strategy: serviceStrategy,
    table: core.serviceTable,
  },
];

const groups: readonly (readonly [group: string, schemaPrefix: string, rows: readonly Row[]])[] = [
  ['', 'io.k8s.api.core.v1', coreRows],
  [
    'apps',
    'io.k8s.api.apps.v1',
    [
      {
        kind: 'DaemonSet',
        plural: 'daemonsets',
        short: ['ds'],
        all: true,
        sub: status,
        strategy: daemonSetStrategy,
        table: workloads.daemonSetTable,
      },
      {
        kind: 'Deployment',
        plural: 'deployments',
        short: ['deploy'],
        all: true,
        sub: scaled,
        strategy: deploymentStrategy,
        table: workloads.deploymentTable,
      },
      {
        kind: 'ReplicaSet',
        plural: 'replicasets',
        short: ['rs'],
        all: true,
        sub: scaled,
        strategy: replicaSetStrategy,
        table: workloads.replicaSetTable,
      },
      {
        kind: 'StatefulSet',
        plural: 'statefulsets',
        short: ['sts'],
        all: true,
        sub: scaled,
        strategy: statefulSetStrategy,
        table: workloads.statefulSetTable,
      },
    ],
  ],
  [
    'batch',
    'io.k8s.api.batch.v1',
    [
      {
        kind: 'CronJob',
        plural: 'cronjobs',
        short: ['cj'],
        all: true,
        sub: status,
        strategy: cronJobStrategy,
        table: workloads.cronJobTable,
      },
      { kind: 'Job', plural: 'jobs', all: true, sub: status, strategy: jobStrategy, table: workloads.jobTable },
    ],
  ],
  [
    'policy',
    'io.k8s.api.policy.v1',
    [
      {
        kind: 'PodDisruptionBudget',
        plural: 'poddisruptionbudgets',
        short: ['pdb'],
        sub: status,
        strategy: budgetStrategy,
        table: core.budgetTable,
      },
    ],
  ],
  [
    'coordination.k8s.io',
    'io.k8s.api.coordination.v1',
    [{ kind: 'Lease', plural: 'leases', strategy: leaseStrategy, table: core.leaseTable }],
  ],
  [
    'events.k8s.io',
    'io.k8s.api.events.v1',
    [
      {
        kind: 'Event',
        plural: 'events',
        short: ['ev'],
        strategy: eventStrategy,
        table: core.eventTable,
        view: eventView,
        storage: 'events',
      },
    ],
  ],
  [
    'storage.k8s.io',
    'io.k8s.api.storage.v1',
    [
      {
        kind: 'StorageClass',
        plural: 'storageclasses',
        short: ['sc'],
        cluster: true,
        strategy: storageClassStrategy,
        table: storage.storageClassTable,
      },
      {
        kind: 'VolumeAttachment',
        plural: 'volumeattachments',
        cluster: true,
        sub: status,
        strategy: attachmentStrategy,
        table: storage.attachmentTable,
      },
    ],
  ],
  [
    'admissionregistration.k8s.io',
    'io.k8s.api.admissionregistration.v1',
    [
      {
        kind: 'ValidatingWebhookConfiguration',
        plural: 'validatingwebhookconfigurations',
        cluster: true,
        strategy: webhookConfigurationStrategy,
        table: core.webhookConfigurationTable,
      },
    ],
  ],
  [
    'apiextensions.k8s.io',
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    [
      {
        kind: 'CustomResourceDefinition',
        plural: 'customresourcedefinitions',
        short: ['crd', 'crds'],
        cluster: true,
        sub: status,
        strategy: customResourceDefinitionStrategy,
        table: core.customResourceDefinitionTable,
      },
    ],
  ],
];

/** The kinds that Kubernetes brings, as far as Drover meets them. */
export const builtinResources: readonly ResourceDefinition[] = groups.flatMap(([group, prefix, rows]) =>
  rows.map((row) => definition(group, prefix, row)),
);

function definition(group: string, prefix: string, row: Row): ResourceDefinition {
  const schemaName = `${prefix}.${row.kind}`;
  return {
    group,
    version: 'v1',
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.all === true ? ['all'] : row.plural === 'customresourcedefinitions' ? ['api-extensions'] : [],
    namespaced: row.cluster !== true,
    storage: row.storage ?? (group === '' ? row.plural : `${row.plural}.${group}`),
    schema: builtinSchema(schemaName),
    schemaName,
    subresources: row.sub ?? [],
    strategy: row.strategy,
    table: row.table,
    ...(row.view !== undefined && { view: row.view }),
  };
}
