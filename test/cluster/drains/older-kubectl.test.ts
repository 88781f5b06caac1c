import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperatorProcess } from '../operator-process.ts';
import type { StorePod } from './drain-world.ts';
import { DrainWorld } from './drain-world.ts';

let world: DrainWorld;
let operator: OperatorProcess;

beforeAll(async () => {
  world = await DrainWorld.start({ older: true });
  operator = world.operator();
  await operator.says('leading', 60_000);
});
afterAll(() => world?.stop());

const dataMoves = { spec: { drainPolicy: 'block-for-eviction', trigger: 'Eviction' } };

async function firstOf(of: string): Promise<StorePod> {
  const [first] = await world.pods(of);
  if (first === undefined) throw new Error(`${of} has a pod`);
  return first;
}

const uidOf = async (of: string, pod: string) => (await world.pods(of)).find((one) => one.name === pod)?.uid;

test('it is three versions older than the API server', async () => {
  const { stdout } = await world.cluster.kubectl(['version', '-o', 'json'], { program: world.drainsWith });
  const { clientVersion, serverVersion } = JSON.parse(stdout);
  expect([clientVersion.minor, serverVersion.minor]).toEqual(['33', '36']);
});

describe.concurrent('an older kubectl drain', () => {
  test('prints why it waits, asks again, and passes', async () => {
    const { store } = await world.store('older', { ...dataMoves, shardBytes: 2 ** 28 });
    const { node, name: pod, uid } = await firstOf('older');
    const { code, stdout, stderr } = await world.drain(node, 'jane', '--timeout=90s');
    expect(code).toBe(0);
    expect(stderr).toContain(
      `error when evicting pods/"${pod}" -n "older" (will retry after 5s): admission webhook "evict.drover.dev" denied the request: drover: `,
    );
    expect(stderr).toContain('must move away first');
    expect(stdout).toContain(`node/${node} drained`);
    expect(await uidOf('older', pod)).not.toBe(uid);
    expect(store.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  });

  test('--dry-run=server ends, and says what would happen', async () => {
    await world.store('guess', dataMoves);
    const { node, name: pod, uid } = await firstOf('guess');
    const { code, stdout, stderr } = await world.drain(node, 'jane', '--dry-run=server');
    expect(code).toBe(0);
    expect(stdout).toContain(`node/${node} drained (server dry run)`);
    expect(stderr).toContain('would be asked to leave, and would wait first');
    expect(await uidOf('guess', pod)).toBe(uid);
  });

  test('does not chase the pod of the same name that comes after', async () => {
    const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await world.store('once', { role: { volumeClaimTemplate: storage } });
    const { node, name: pod, uid } = await firstOf('once');
    expect((await world.drain(node, 'jane', '--timeout=60s')).code).toBe(0);
    const isBack = async () => (await world.pods('once')).some((one) => one.name === pod && one.ready);
    await world.until('it is back elsewhere', async () => (await isBack()) && (await world.isWhole('once')));
    expect(await uidOf('once', pod)).not.toBe(uid);
  });
});

test('an older kubectl meets the closed lock while the operator is dead', async () => {
  await world.store('alone');
  const { node, name: pod, uid } = await firstOf('alone');
  await world.kill(operator);
  const { code, stderr } = await world.drain(node, 'jane', '--timeout=4s');
  expect(code).toBe(1);
  expect(stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
  expect(await uidOf('alone', pod)).toBe(uid);
});
