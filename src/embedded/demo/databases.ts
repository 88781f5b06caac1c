import { spec as specSchema } from '../../api/snapshot/spec.schema.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import type { ModelDatabase } from '../stand-in/store-database.ts';
import { storeDatabase } from '../stand-in/store-database.ts';

/** A taint with this key tells that a machine is to be serviced, and Drover to move away from it. */
export const maintenanceTaint = 'example.com/maintenance';

/** One database of the demo: where it lives, what people want of it, and the model that plays it. */
export interface DatabasePlan {
  readonly namespace: string;
  /** What it is, in a few words. */
  readonly says: string;
  /** How many copies each piece of data has. */
  readonly copies: number;
  readonly spec: ClusterSpec;
  readonly make: (clock: Clock, random: Random) => ModelDatabase;
}

const gibibyte = 2 ** 30;
const shape = { claimSpecHash: 'claim-1', specHash: 'pod-1' };

const replacements = {
  enabled: true,
  failureDetectionTime: 900,
  taints: [{ key: maintenanceTaint, duration: 300 }],
  taintReplacementTime: 60,
};

const shop: DatabasePlan = {
  namespace: 'shop',
  says: '12 shards in 2 copies each, and an agency of 3',
  copies: 2,
  spec: specSchema.parse({
    engine: 'arangodb',
    roles: [
      { name: 'dbserver', count: 5, shape },
      { name: 'agent', count: 3, shape },
    ],
    replacements,
  }),
  make: (clock, random) =>
    storeDatabase({ clock, random, replicationFactor: 2, shards: 12, shardBytes: 4 * gibibyte, jobFailures: 0 }),
};

/** FoundationDB takes this place once its adapter is there: only `says`, `spec` and `make` change. */
const ledger: DatabasePlan = {
  namespace: 'ledger',
  says: '6 shards in 3 copies each, and an agency of 3; every copy moves before a server goes',
  copies: 3,
  spec: specSchema.parse({
    engine: 'arangodb',
    roles: [
      { name: 'dbserver', count: 4, shape },
      { name: 'agent', count: 3, shape },
    ],
    drainPolicy: 'block-for-eviction',
    removalMode: 'ProcessGroup',
    replacements,
  }),
  make: (clock, random) =>
    storeDatabase({ clock, random, replicationFactor: 3, shards: 6, shardBytes: 2 * gibibyte, jobFailures: 0 }),
};

/** A server that has no other: ArangoDB calls it `single`. */
const reports: DatabasePlan = {
  namespace: 'reports',
  says: 'a lone server; what it holds exists once',
  copies: 1,
  spec: specSchema.parse({ engine: 'arangodb', roles: [{ name: 'single', count: 1, shape }], replacements }),
  make: (clock, random) =>
    storeDatabase({ clock, random, replicationFactor: 1, shards: 1, jobFailures: 0, dataRole: name('single') }),
};

/** What runs in the demo: two databases, and a small one that must never be evicted. */
export const databasePlans: readonly DatabasePlan[] = [shop, ledger, reports];
