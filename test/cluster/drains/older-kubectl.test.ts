import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperatorProcess } from '../operator-process.ts';
import type { StorePod } from './drain-world.ts';
import { DrainWorld } from './drain-world.ts';

let world: DrainWorld;
let operator: OperatorProcess;

beforeAll(async () => {
  world = await DrainWorld.start({ older: true, leavingTaints: [toBeDeleted] });
  operator = world.operator();
  await operator.says('leading', 60_000);
});
afterAll(() => world?.stop());

/** As cluster-autoscaler marks a node before it evicts what is there. */
const toBeDeleted = 'ToBeDeletedByClusterAutoscaler';

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

  test('asks again for the pod of the same name that came after, is told so, and ends: it does not chase it', async () => {
    // So little data that it has moved, and the successor runs, before kubectl asks again after five seconds.
    await world.store('once', dataMoves);
    const { node, name: pod, uid } = await firstOf('once');
    const { code, stderr } = await world.drain(node, 'jane', '--timeout=60s');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('must move away first') });
    const after = await uidOf('once', pod);
    expect([undefined, uid]).not.toContain(after);
    expect(stderr).toContain(`Warning: drover: ${pod} has left; the pod of that name on `);
    await world.until('everything is as before', () => world.isWhole('once'));
    expect(await uidOf('once', pod)).toBe(after);
  });
});

describe.concurrent('cluster-autoscaler, with a v1beta1 body, which this API server takes', () => {
  test('starts the work by its taint; it goes on unasked, is undone with the taint, and ends the second time', async () => {
    const { store } = await world.store('scaled', { ...dataMoves, shards: 3, shardBytes: 3 * 2 ** 29 });
    const { node, name: pod, uid, group } = await firstOf('scaled');
    const taint = (value: string) => world.cluster.kubectl(['taint', 'node', node, `${toBeDeleted}${value}`]);
    const evict = () => world.evict('scaled', pod, 'joe', 'policy/v1beta1');
    const excluded = () => store.whole().processes.flatMap((one) => (one.excluded ? [String(one.id)] : []));
    const percent = () => Math.max(...store.whole().units.map(({ copying }) => copying?.percent ?? 0));
    const askers = async () => ((await world.status('scaled')).asks ?? []).map(({ by }) => by).toSorted();

    await taint('=1700000000:NoSchedule');
    await world.until('its data moves before anybody evicts it', async () => excluded().includes(group));
    expect(await askers()).toEqual([toBeDeleted]);
    await world.until('it is evicted too, which is refused', async () => {
      expect((await evict()).stderr).toContain('denied the request: drover: ');
      return (await askers()).includes('joe');
    });
    const soFar = percent();
    await world.until('it goes on unasked', async () => percent() > soFar);

    await taint('-');
    await world.until('its data moves no more', async () => excluded().length === 0 && (await world.isWhole('scaled')));
    expect(await askers()).toEqual([]);
    expect(await uidOf('scaled', pod)).toBe(uid);

    await taint('=1700000600:NoSchedule');
    await world.until('its eviction ends', async () => {
      const { code, stderr } = await evict();
      return code === 0 || stderr.includes('(NotFound)');
    });
    await world.until('it is elsewhere', async () =>
      (await world.pods('scaled')).every((one) => one.node !== node && one.uid !== uid && one.ready),
    );
    expect(store.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
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
