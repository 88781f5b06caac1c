import { describe, expect, test } from 'vitest';
import { at, type JsonObject, objectAt } from './json.ts';
import { runningPod, SmallWorld } from './testing/small-world.ts';

const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

interface Row {
  readonly phase?: string;
  readonly ready?: boolean;
  readonly allowed?: number;
  readonly current?: number;
  readonly desired?: number;
  readonly observed?: number;
  readonly policy?: string;
  readonly budgets?: number;
}

async function given(row: Row): Promise<SmallWorld> {
  const world = new SmallWorld();
  await world.make(pods, runningPod('p'));
  const ready = { type: 'Ready', status: row.ready === false ? 'False' : 'True' };
  await world.merge(`${pods}/p/status`, { status: { phase: row.phase ?? 'Running', conditions: [ready] } });
  for (let index = 0; index < (row.budgets ?? 1); index++) {
    const spec: JsonObject = {
      minAvailable: 2,
      selector: { matchLabels: { app: 'db' } },
      ...(row.policy !== undefined && { unhealthyPodEvictionPolicy: row.policy }),
    };
    await world.make(budgets, { metadata: { name: `b${index}` }, spec });
    const status = {
      observedGeneration: row.observed ?? 1,
      disruptionsAllowed: row.allowed ?? 0,
      currentHealthy: row.current ?? 2,
      desiredHealthy: row.desired ?? 2,
      expectedPods: 2,
    };
    await world.merge(`${budgets}/b${index}/status`, { status });
  }
  return world;
}

const evict = (world: SmallWorld, deleteOptions: JsonObject = {}) =>
  world.send('POST', `${pods}/p/eviction`, { metadata: { name: 'p' }, deleteOptions });

describe('an eviction', () => {
  test.each<[string, Row, number, string | undefined]>([
    ['passes while the budget has something left', { allowed: 1 }, 201, undefined],
    ['is held when it has nothing left', {}, 429, 'The disruption budget b0 needs 2 healthy pods and has 2 currently'],
    [
      'is held while the budget was not looked at',
      { allowed: 1, observed: 0 },
      429,
      'The disruption budget b0 is still being processed by the server.',
    ],
    ['of a pending pod passes', { phase: 'Pending' }, 201, undefined],
    ['of a failed pod passes', { phase: 'Failed' }, 201, undefined],
    ['of a pod that is not ready passes while enough others are healthy', { ready: false }, 201, undefined],
    [
      'of a pod that is not ready is held while too few are healthy',
      { ready: false, current: 1 },
      429,
      'The disruption budget b0 needs 2 healthy pods and has 1 currently',
    ],
    [
      'of a pod that is not ready passes with AlwaysAllow',
      { ready: false, current: 1, policy: 'AlwaysAllow' },
      201,
      undefined,
    ],
    ['of a pod under two budgets is an error', { allowed: 1, budgets: 2 }, 500, undefined],
    ['of a pod under no budget passes', { budgets: 0 }, 201, undefined],
  ])('%s', async (_, row, status, cause) => {
    const reply = await evict(await given(row));
    expect(reply.status).toBe(status);
    const causes = at(reply.body, 'details', 'causes');
    expect(Array.isArray(causes) ? at(causes[0], 'message') : undefined).toBe(cause);
  });

  test('is counted before it happens, and marks the pod', async () => {
    const world = await given({ allowed: 1 });
    await evict(world);
    const { body: budget } = await world.send('GET', `${budgets}/b0`);
    expect(objectAt(budget, 'status')).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) },
    });
    const { body: pod } = await world.send('GET', `${pods}/p`);
    expect(JSON.stringify(pod)).toContain('EvictionByEvictionAPI');
    expect(at(pod, 'metadata', 'deletionGracePeriodSeconds')).toBe(30);
  });

  test('on trial changes nothing', async () => {
    const world = await given({ allowed: 1 });
    const before = await world.send('GET', `${pods}/p`);
    expect((await evict(world, { dryRun: ['All'] })).status).toBe(201);
    expect(await world.send('GET', `${pods}/p`)).toEqual(before);
    expect(at((await world.send('GET', `${budgets}/b0`)).body, 'status', 'disruptionsAllowed')).toBe(1);
  });

  test('of another pod with the same name is a conflict', async () => {
    const reply = await evict(await given({ allowed: 1 }), { preconditions: { uid: 'another' } });
    expect(reply.status).toBe(409);
  });
});
