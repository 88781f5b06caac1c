import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DatabaseOnPods } from '../foundationdb/database-on-pods.ts';
import { DrainWorld } from './drain-world.ts';

let world: DrainWorld;
let fdb: DatabaseOnPods;

const counts = { storage: 4, log: 3 } as const;
const nodes = Array.from({ length: 8 }, (_, index) => ({ name: `fdb-${index + 1}`, zone: `z${index % 3}` }));

/** What somebody else made: a StatefulSet for each process class, no two pods on one node. */
function setOf(tier: string, replicas: number): object {
  const labels = { app: 'fdb', tier };
  const apart = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'fdb' } } };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } };
  const containers = [{ name: 'foundationdb', image: 'foundationdb:7.3.63' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: `fdb-${tier}` },
    spec: {
      replicas,
      serviceName: 'fdb',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { affinity, terminationGracePeriodSeconds: 0, containers } },
    },
  };
}

const guard = {
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'EvictionGuard',
  metadata: { name: 'fdb' },
  spec: {
    engine: { type: 'foundationdb', foundationdb: { fdbcli: { path: 'fdbcli-fdb' } } },
    // Nothing real is on the disks of these pods.
    roles: Object.keys(counts).map((name) => ({
      name,
      dataTravels: 'always',
      selector: { matchLabels: { app: 'fdb', tier: name } },
    })),
  },
};

interface Placed {
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly ip: string;
}

async function pods(tier: string): Promise<readonly Placed[]> {
  const selector = `app=fdb,tier=${tier}`;
  const { stdout } = await world.cluster.kubectl(['get', 'pods', '-l', selector, '-o', 'json']);
  const { items } = JSON.parse(stdout);
  return items.map(({ metadata, spec, status }: Readonly<Record<string, Readonly<Record<string, string>>>>) => ({
    name: metadata?.['name'] ?? '',
    uid: metadata?.['uid'] ?? '',
    node: spec?.['nodeName'] ?? '',
    ip: status?.['podIP'] ?? '',
  }));
}

/** `configure new`, with a coordinator on each log, and its cluster file where the pods have it. */
async function createDatabase(): Promise<void> {
  await world.until('all pods run', async () => {
    const all = await Promise.all(
      Object.entries(counts).map(
        async ([tier, count]) => (await pods(tier)).filter(({ ip }) => ip !== '').length === count,
      ),
    );
    return all.every((isThere) => isThere);
  });
  const file = `fdb:fdb@${(await pods('log')).map(({ ip }) => `${ip}:4501`).join(',')}`;
  await world.cluster.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'fdb-connection' },
    data: { 'fdb.cluster': file },
  });
  const { code } = await fdb.database.fdbcli(['--exec', 'configure new double ssd'], '', { clusterFile: file });
  expect(code).toBe(0);
  // Otherwise the guard would look half a minute later for the second time.
  await world.until('it serves', async () => {
    const { available, fullyReplicated } = fdb.database.whole().health;
    return available === true && fullyReplicated === true;
  });
}

async function conditions(): Promise<string> {
  const { stdout } = await world.cluster.kubectl(['get', 'evg', 'fdb', '-o', 'json']);
  const found: readonly { type: string; status: string; reason: string }[] =
    JSON.parse(stdout).status?.conditions ?? [];
  return found.map(({ type, status, reason }) => `${type} ${status} ${reason}`).join(', ');
}
const isWell = 'Locked True BudgetsInPlace, Healthy True AllResponding, Blocked False NothingWaits';

beforeAll(async () => {
  world = await DrainWorld.start({ exec: true });
  await world.cluster.addNodes(nodes);
  fdb = await DatabaseOnPods.startFor(world.cluster, 'fdb', world.clock);
  await world.operator().says('leading', 60_000);
  for (const [tier, count] of Object.entries(counts)) await world.cluster.apply(setOf(tier, count));
  await createDatabase();
  await world.cluster.apply(guard);
  await world.until('the guard is well', async () => (await conditions()) === isWell);
});
afterAll(async () => {
  await fdb?.stop();
  await world?.stop();
});

describe('kubectl drain of a FoundationDB that somebody else runs', () => {
  test('of two nodes at once lets one zone go, holds the other until the database is whole, and loses nothing', async () => {
    const zoneOf = (pod: Placed | undefined) => nodes.find(({ name }) => name === pod?.node)?.zone;
    const [one, ...rest] = await pods('storage');
    const other = rest.find((pod) => zoneOf(pod) !== zoneOf(one));
    const drains = await Promise.all([
      world.drain(one?.node ?? '', 'jane', '--timeout=90s'),
      world.drain(other?.node ?? '', 'joe', '--timeout=90s'),
    ]);
    expect(drains.map(({ code }) => code)).toEqual([0, 0]);
    // In which words depends on how far the first one is by then.
    expect(drains.map(({ stderr }) => stderr).join('')).toContain('denied the request: drover: fdb-storage-');
    const left = (await pods('storage')).map(({ uid }) => uid);
    for (const pod of [one, other]) expect(left).not.toContain(pod?.uid);
    expect(fdb.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  });
});
