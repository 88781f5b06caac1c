import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { dealNodes } from '../../../tools/control-plane/cluster-objects.ts';
import { DatabaseOnPods } from '../foundationdb/database-on-pods.ts';
import type { OperatorProcess } from '../operator-process.ts';
import type { DrainWorld } from './drain-world.ts';
import { isEmbedded, startWorld } from './drain-world.ts';
import type { DrainPlane } from './embedded-plane.ts';
import { numbersAside, unsaid } from './unsaid.ts';

let world: DrainWorld<DrainPlane>;
let cluster: DrainPlane;
let database: DatabaseOnPods;
let operator: OperatorProcess;

const startOperator = async () => {
  operator = world.operator();
  await operator.says('leading', 60_000);
};

beforeAll(async () => {
  // Not much quicker: fdbcli is a program that takes its time to start, and the operator does not wait for it for ever.
  world = await startWorld({ times: 3 });
  cluster = world.cluster;
  await cluster.addNodes(dealNodes(6, 3));
  database = await DatabaseOnPods.start(cluster, 'orders', world.clock);
  await startOperator();
  const manifest = parse(readFileSync('examples/foundationdb.yaml', 'utf8'), { intAsBigInt: true });
  manifest.spec.engine.foundationdb.fdbcli = { runIn: 'Operator', path: database.fdbcli };
  // Data that went with its pods would not have to be waited for.
  for (const { volumeClaimTemplate } of manifest.spec.roles)
    if (volumeClaimTemplate !== undefined) volumeClaimTemplate.storageClassName = 'local';
  manifest.spec.drainPolicy = 'block-for-eviction';
  manifest.spec.automationOptions.waitBetweenRemovalsSeconds = 0;
  await cluster.apply(stringify(manifest));
});
afterAll(async () => {
  await database?.stop();
  await world?.stop();
});

const within = { timeout: 60_000, interval: 500 };
const podsOf = (labels: string) => cluster.read(`${pods}?labelSelector=${encodeURIComponent(labels)}`);
const pods = '/api/v1/namespaces/default/pods';

async function isReady(): Promise<string | undefined> {
  const { status = {} } = await cluster.read('/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters/orders');
  const conditions: readonly { readonly type: string; readonly status: string }[] = status.conditions ?? [];
  return status.counts?.leaving === 0 ? conditions.find(({ type }) => type === 'Ready')?.status : undefined;
}

async function podOf(
  role: string,
  index = 0,
): Promise<{ readonly name: string; readonly uid: string; readonly node: string }> {
  const { items } = await podsOf(`drover.dev/cluster=orders,drover.dev/role=${role}`);
  const { metadata, spec } = items[index];
  return { name: metadata.name, uid: metadata.uid, node: spec.nodeName };
}

describe('kubectl drain', () => {
  test('waits for the data and for a coordinator to be handed off, says why and how far, and passes', async () => {
    await expect.poll(isReady, within).toBe('True');
    const coordinators = async () =>
      (await cluster.read('/api/v1/namespaces/default/configmaps/orders-connection')).data['fdb.cluster'];
    const before = await coordinators();
    const { items } = await podsOf('drover.dev/cluster=orders');
    const coordinator = items.find(({ status }: { status: { podIP: string } }) => before.includes(`${status.podIP}:`));
    const { name } = coordinator.metadata;
    const node = coordinator.spec.nodeName;
    const { code, stdout, stderr } = await world.drain(node, 'jane', '--timeout=120s');
    expect(code).toBe(0);
    expect(stderr).toContain(
      `error when evicting pods/"${name}" -n "default" (will retry after 5s): admission webhook "evict.drover.dev" denied the request: drover: `,
    );
    // Which role the coordinator has, and what else it waits for, differs from run to run.
    const alike = (line: string) =>
      numbersAside(line)
        .replaceAll(/\b(log|storage)-#/g, 'role-#')
        .replace(/ yet;.*/, ' yet');
    expect(unsaid('what-a-drain-says', 'kubectl drain n1', `${stdout}${stderr}`, alike)).toEqual([]);
    expect(await coordinators()).not.toContain(`${coordinator.status.podIP}:`);
    expect(database.database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
    await cluster.kubectl(['uncordon', node]);
    await expect.poll(isReady, within).toBe('True');
  });

  // In memory there are no rights to go by.
  if (!isEmbedded)
    test('nobody but Drover opens the lock, and nobody forces a pod without the permission', async () => {
      const { name } = await podOf('storage');
      await cluster.kubectl(['create', 'serviceaccount', 'deployer']);
      await cluster.kubectl([
        'create',
        'clusterrolebinding',
        'deployer',
        '--clusterrole=edit',
        '--serviceaccount=default:deployer',
      ]);
      const as = ['--as', 'system:serviceaccount:default:deployer'];
      const opened = await cluster.kubectl(['label', 'pod', name, 'drover.dev/guard=open', ...as]);
      expect(opened.stderr).toContain('only Drover sets the label drover.dev/guard=open');
      const forced = await cluster.kubectl(['annotate', 'pod', name, 'drover.dev/force=x y', ...as]);
      expect(forced.stderr).toContain('only those who may override guards.drover.dev force a pod');
      expect((await cluster.kubectl(['label', 'pod', name, 'tier=gold', ...as])).code).toBe(0);
    });

  test('stays closed while the operator is dead, and ends once it is back', async () => {
    const { name, uid, node } = await podOf('storage', 1);
    await world.kill(operator);
    const { code, stderr } = await world.drain(node, 'jane', '--timeout=6s');
    expect(code).toBe(1);
    expect(stderr).toContain('violate');
    expect((await cluster.read(`${pods}/${name}`)).metadata.uid).toBe(uid);
    await startOperator();
    const again = await world.drain(node, 'jane', '--timeout=120s');
    expect(again.code).toBe(0);
    await cluster.kubectl(['uncordon', node]);
  });
});
