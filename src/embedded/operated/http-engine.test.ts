import { describe, expect, onTestFinished, test } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { secrets } from '../../kube/resources.ts';
import type { RoleName } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { OperatedWorld } from './operated-world.ts';
import { kubectlDrain } from './testing/kubectl-drain.ts';

const key = 'db/ledger';
const call = { signal: new AbortController().signal };
const shard = {
  name: 'shard',
  count: 4,
  template: { spec: { containers: [{ name: 'ledger', image: 'ledger:1' }] } },
  volumeClaimTemplate: {
    accessModes: ['ReadWriteOnce' as const],
    storageClassName: 'local',
    resources: { requests: { storage: '10Gi' } },
  },
};
const byUrl = { url: 'http://ledger.db' };

async function operated(
  http: StatefulClusterSpecInput['engine']['http'],
  spec: Partial<StatefulClusterSpecInput> = {},
): Promise<OperatedWorld> {
  const role = name<RoleName>('shard');
  const world = new OperatedWorld({ store: { dataRole: role, quorumRole: role, replicationFactor: 2 } });
  onTestFinished(() => world.end());
  await world.begin();
  await world.create(key, { engine: { type: 'http', http }, roles: [shard], ...spec });
  return world;
}

/** Up, with six shards of 1 GiB in it. */
async function running(
  http: StatefulClusterSpecInput['engine']['http'] = byUrl,
  spec: Partial<StatefulClusterSpecInput> = {},
): Promise<OperatedWorld> {
  const world = await operated(http, spec);
  expect(await world.until(() => world.isAtRest(key), 300)).toBe(true);
  for (let unit = 1; unit <= 6; unit++) world.store(key).createShard(name(`s${unit}`), 2 ** 30);
  await world.pass(60);
  return world;
}

const ready = async (world: OperatedWorld) => (await world.status(key)).conditions.find(({ type }) => type === 'Ready');
const ids = async (world: OperatedWorld) => (await world.status(key)).processGroups.map((row) => row.processGroupID);
const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };

describe.each([
  ['one server answers for', byUrl],
  ['every pod answers for', { port: 8080 }],
])('a system that %s', (_, http) => {
  test('comes up, and a process group is replaced once its data is elsewhere', async () => {
    const world = await running(http);
    expect(await ready(world)).toMatchObject({ status: 'True' });
    const [first = ''] = await ids(world);
    await world.change(key, { processGroupsToRemove: [first] });
    expect(await world.until(async () => !(await ids(world)).includes(first), 3600)).toBe(true);
    expect(await world.until(() => world.isAtRest(key), 600)).toBe(true);
    const { processes, units } = world.store(key).whole();
    expect(processes.map(({ id }) => id)).not.toContain(first);
    expect(units.flatMap(({ replicas }) => replicas.map(({ process }) => process))).not.toContain(first);
    expect(world.store(key).truth()).toEqual(nothingLost);
    expect(await ids(world)).toHaveLength(4);
    expect(world.errors).toEqual([]);
  });
});

describe('kubectl drain', () => {
  const nodeOf = async (world: OperatedWorld): Promise<{ readonly id: string; readonly node: string }> => {
    const [row] = (await world.status(key)).processGroups;
    return { id: row?.processGroupID ?? '', node: row?.nodeName ?? '' };
  };
  const copiesOn = (world: OperatedWorld, id: string) =>
    world
      .store(key)
      .whole()
      .units.filter(({ replicas }) => replicas.some(({ process }) => process === id)).length;

  test('waits for the data to be moved where the policy asks for that, says so, and then passes', async () => {
    const world = await running(byUrl, { drainPolicy: 'block-for-eviction' });
    const { id, node } = await nodeOf(world);
    expect(copiesOn(world, id)).toBeGreaterThan(0);
    const { said, exit } = await kubectlDrain(world, node);
    expect({ exit, said: said.join('\n') }).toEqual({ exit: 0, said: expect.stringContaining(`${id} stays`) });
    expect(copiesOn(world, id)).toBe(0);
    expect(world.store(key).truth()).toEqual(nothingLost);
  });

  test('of the node with the last copy does not pass', async () => {
    const world = await running();
    const { id, node } = await nodeOf(world);
    const { units } = world.store(key).whole();
    const unit = units.find(({ replicas }) => replicas.some((one) => one.process === id));
    const other = unit?.replicas.find(({ process }) => process !== id)?.process ?? name('');
    world.store(key).isolate(other);
    await world.pass(10);
    const { said, exit } = await kubectlDrain(world, node, { timeout: 60 });
    expect({ exit, said: said.join('\n') }).toEqual({
      exit: undefined,
      said: expect.stringContaining('the only healthy copy'),
    });
  });
});

describe('trouble on the way to the system', () => {
  test('a Secret that is missing is said in Ready, and the cluster comes up once it is there', async () => {
    const world = await operated({ ...byUrl, bearerTokenSecretRef: { name: 'ledger-token' } });
    await world.pass(60);
    expect(await ready(world)).toMatchObject({
      status: 'Unknown',
      reason: 'EngineUnreachable',
      message:
        'the engine does not answer: the Secret db/ledger-token, which engine.http.bearerTokenSecretRef names, does not exist: create it, or correct the name',
    });
    const data = { token: Buffer.from('sesame').toString('base64') };
    await world.people.create(secrets, { metadata: { namespace: 'db', name: 'ledger-token' }, data }, call);
    expect(await world.until(async () => (await ready(world))?.status === 'True', 120)).toBe(true);
  });

  test('a system that is silent keeps everything where it is', async () => {
    const world = await running();
    const [first = ''] = await ids(world);
    world.store(key).answer('none');
    await world.change(key, { processGroupsToRemove: [first] });
    await world.pass(120);
    expect(await ready(world)).toMatchObject({ status: 'Unknown', reason: 'EngineUnreachable' });
    expect(world.pods('db').map((pod) => pod.name)).toContain(`ledger-${first}`);
    world.store(key).answer('whole');
    expect(await world.until(async () => !(await ids(world)).includes(first), 3600)).toBe(true);
    expect(world.store(key).truth()).toEqual(nothingLost);
  });

  test('what half an answer leaves out lets nothing go', async () => {
    const world = await running();
    const [first = ''] = await ids(world);
    const isHere = () => world.pods('db').some((pod) => pod.name === `ledger-${first}`);
    world.store(key).answer('partial');
    await world.change(key, { processGroupsToRemove: [first] });
    for (let look = 0; look < 20; look++) {
      await world.pass(10);
      const { units } = world.store(key).whole();
      const holds = units.some(({ replicas }) => replicas.some(({ process }) => process === first));
      if (holds) expect(isHere()).toBe(true);
    }
    world.store(key).answer('whole');
    expect(await world.until(async () => !(await ids(world)).includes(first), 3600)).toBe(true);
    expect(world.store(key).truth()).toEqual(nothingLost);
  });
});
