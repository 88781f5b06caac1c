import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { RoleName } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { FdbOptions } from '../engines/foundationdb/fdb-options.ts';
import type { StoreOptions } from '../engines/replicated-store/store-options.ts';

/** A taint with this key tells that a machine is to be serviced, and Drover to move away from it. */
export const maintenanceTaint = 'example.com/maintenance';

/** The model that plays a database. `store`: a replicated store behind the http contract, with so much data in it. */
type Played =
  | { readonly model: 'foundationdb'; readonly database: Partial<FdbOptions> }
  | {
      readonly model: 'store';
      readonly store: Partial<StoreOptions>;
      readonly shards: number;
      readonly shardBytes: number;
    };

/** One database of the demo: the StatefulCluster that people apply, and the model that runs in its pods. */
export interface DatabasePlan {
  /** Of its namespace, and of the StatefulCluster in it. */
  readonly name: string;
  /** What it is, in a few words. */
  readonly says: string;
  readonly spec: StatefulClusterSpecInput;
  readonly played: Played;
}

const gibibyte = 2 ** 30;

const template = (program: string) => ({ spec: { containers: [{ name: program, image: `${program}:1` }] } });

/** A disk in the machine: it goes where the machine goes. */
const localDisk = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'local',
  resources: { requests: { storage: '50Gi' } },
};

const automationOptions = {
  replacements: {
    enabled: true,
    failureDetectionTimeSeconds: 900,
    taintReplacementOptions: [{ key: maintenanceTaint, durationInSeconds: 300 }],
    taintReplacementTimeSeconds: 60,
    // Nobody runs CronJobs here.
    detector: { enabled: false },
  },
};

/** A disk on the network: it comes along to another machine. */
const networkDisk = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '50Gi' } } };

const shop: DatabasePlan = {
  name: 'shop',
  says: 'a store of its own, behind the http contract: 12 shards in 2 copies, disks on the network',
  spec: {
    engine: { type: 'http', http: { url: 'http://shop.shop' } },
    roles: [
      {
        name: 'server',
        count: 5,
        template: template('shop'),
        volumeClaimTemplate: networkDisk,
        evictionRequires: ['leads-no-unit'],
      },
    ],
    automationOptions,
  },
  played: {
    model: 'store',
    store: { dataRole: name<RoleName>('server'), quorumRole: name<RoleName>('server'), replicationFactor: 2 },
    shards: 12,
    shardBytes: 4 * gibibyte,
  },
};

const ledger: DatabasePlan = {
  name: 'ledger',
  says: 'FoundationDB: 24 GiB in 2 copies, disks in the machines',
  spec: {
    engine: { type: 'foundationdb', version: '7.3.63' },
    roles: [
      { name: 'storage', count: 4, template: template('foundationdb'), volumeClaimTemplate: localDisk },
      { name: 'log', count: 3, template: template('foundationdb'), volumeClaimTemplate: localDisk },
      { name: 'stateless', count: 2, template: template('foundationdb') },
    ],
    // A drain has every copy moved away first, and nothing begins before somebody asks.
    drainPolicy: 'block-for-eviction',
    trigger: 'Eviction',
    automationOptions,
  },
  played: { model: 'foundationdb', database: {} },
};

/** A server that has no other. */
const reports: DatabasePlan = {
  name: 'reports',
  says: 'a lone server; what it holds exists once',
  spec: {
    engine: { type: 'http', http: { url: 'http://reports.reports' } },
    roles: [
      {
        name: 'single',
        count: 1,
        template: template('reports'),
        volumeClaimTemplate: localDisk,
        evictionRequires: ['never'],
      },
    ],
    automationOptions,
  },
  played: {
    model: 'store',
    store: {
      dataRole: name<RoleName>('single'),
      quorumRole: name<RoleName>('single'),
      quorumSize: 1,
      replicationFactor: 1,
    },
    shards: 1,
    shardBytes: gibibyte,
  },
};

/** What runs in the demo: two databases, and a small one that must never be evicted. */
export const databasePlans: readonly DatabasePlan[] = [shop, ledger, reports];
