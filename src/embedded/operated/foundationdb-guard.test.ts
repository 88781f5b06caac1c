import { describe, expect, test } from 'vitest';
import { nodes } from '../../kube/resources.ts';
import { guardedFoundationDB } from './testing/guarded-foundationdb.ts';
import { kubectlDrain, uncordon } from './testing/kubectl-drain.ts';
import { nothingLost } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };
const tied = { storageClass: 'local', spec: { drainPolicy: 'block-for-eviction' } } as const;
const isWell = ['Locked True BudgetsInPlace', 'Healthy True AllResponding', 'Blocked False NothingWaits'];

describe('a guard of a FoundationDB that somebody else runs', () => {
  test('knows each process by its pod, and is well', async () => {
    const guarded = await guardedFoundationDB();
    expect(await guarded.conditions()).toEqual(isWell);
    const { processes } = await guarded.status();
    expect(processes).toHaveLength(12);
    expect(processes.find(({ pod }) => pod === 'fdb-storage-0')).toMatchObject({
      process: 'fdb-fdbstorage0',
      verdict: 'allow',
    });
    expect(guarded.world.errors).toEqual([]);
  });

  test('lets a coordinator go, and seats another one in its place', async () => {
    const guarded = await guardedFoundationDB();
    const [first = ''] = await guarded.coordinators();
    const node = guarded.pod(first)?.nodeName ?? '';
    expect((await kubectlDrain(guarded.world, node)).exit).toBe(0);
    await uncordon(guarded.world, node);
    await guarded.world.pass(300);
    expect(await guarded.coordinators()).toHaveLength(3);
    expect(await guarded.conditions()).toEqual(isWell);
    expect(guarded.database.truth()).toMatchObject(nothingLost);
  });

  test('lets one zone go after the other, and says what the second waits for', async () => {
    const guarded = await guardedFoundationDB();
    const nodes = ['fdb-storage-0', 'fdb-storage-1'].map((pod) => guarded.pod(pod)?.nodeName ?? '');
    const [one = '', other = ''] = nodes;
    const drains = await Promise.all([
      kubectlDrain(guarded.world, one, { by: 'jane' }),
      kubectlDrain(guarded.world, other, { by: 'joe' }),
    ]);
    expect(drains.map(({ exit }) => exit)).toEqual([0, 0]);
    const [first = '', second = ''] = drains.map(({ said }) => said.join('\n')).toSorted();
    expect(first).toBe('');
    expect(second).toContain('the engine can bear the loss of 0 zones, and this would be one');
    expect(guarded.database.truth()).toMatchObject(nothingLost);
  });

  test('empties what stays on its node where the policy asks for that, and fills it again when it is back', async () => {
    const guarded = await guardedFoundationDB(tied);
    const { uid, nodeName: node = '' } = guarded.pod('fdb-storage-0') ?? {};
    const { said, exit } = await kubectlDrain(guarded.world, node);
    expect(exit).toBe(0);
    expect(said.join('\n')).toMatch(/fdb-storage-0 stays: it is not drained yet, \d+ %, about \d+ s left/);
    expect(guarded.database.truth()).toMatchObject(nothingLost);
    await uncordon(guarded.world, node);
    await guarded.world.pass(300);
    expect(guarded.pod('fdb-storage-0')?.uid).not.toBe(uid);
    expect(await guarded.excluded()).toEqual([]);
    expect(await guarded.conditions()).toEqual(isWell);
  });

  test('moves the seat of a coordinator before it is empty, where the policy asks for that', async () => {
    const guarded = await guardedFoundationDB(tied);
    const [first = ''] = await guarded.coordinators();
    const node = guarded.pod(first)?.nodeName ?? '';
    expect(await kubectlDrain(guarded.world, node, { timeout: 600 })).toEqual({ said: expect.anything(), exit: 0 });
    const seats = await guarded.coordinators();
    expect(seats).toHaveLength(3);
    expect(seats).not.toContain(first);
    expect(guarded.database.truth()).toMatchObject(nothingLost);
  });

  test('empties one after the other where many nodes are cordoned at once, and takes all of them back', async () => {
    const guarded = await guardedFoundationDB({ ...tied, bytes: 2 ** 34 });
    const { world } = guarded;
    const logs = world.pods('db').filter(({ labels }) => labels['tier'] === 'log');
    const unschedulable = { type: 'merge', body: { spec: { unschedulable: true } } } as const;
    for (const { nodeName } of logs) await world.people.patch(nodes, { name: nodeName ?? '' }, unschedulable, call);
    const codes = new Set<string>();
    for (let looks = 0; looks < 40; looks++) {
      await world.pass(10);
      const { processes } = await guarded.status();
      for (const { waitingFor } of processes) for (const { code } of waitingFor) codes.add(code);
      const emptying = processes.filter(
        (row) => row.evacuationTimestamp !== null && row.verdict === 'wait' && row.responds,
      );
      expect(emptying.length).toBeLessThanOrEqual(1);
      expect(guarded.database.truth().lost).toEqual([]);
    }
    expect(codes).toContain('AnotherEmptied');
    for (const { nodeName } of logs) await uncordon(world, nodeName ?? '');
    await world.pass(400);
    expect(await guarded.excluded()).toEqual([]);
    expect(await guarded.conditions()).toEqual(isWell);
    expect(guarded.database.truth()).toMatchObject(nothingLost);
  });

  test('takes it back when the node is uncordoned before the pod is empty', async () => {
    const guarded = await guardedFoundationDB({ ...tied, bytes: 2 ** 36 });
    const { uid, nodeName: node = '' } = guarded.pod('fdb-storage-0') ?? {};
    await kubectlDrain(guarded.world, node, { timeout: 10 });
    expect(await guarded.excluded()).toHaveLength(1);
    await uncordon(guarded.world, node);
    await guarded.world.pass(60);
    expect(await guarded.excluded()).toEqual([]);
    expect(guarded.pod('fdb-storage-0')?.uid).toBe(uid);
    expect(await guarded.conditions()).toEqual(isWell);
  });
});
