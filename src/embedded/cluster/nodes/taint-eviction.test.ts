import { describe, expect, test } from 'vitest';
import type { Transport } from '../../../kube/transport.ts';
import { conditionOf } from '../condition-view.ts';
import { storyWorlds } from '../testing/story.ts';
import { toleratedFor } from './taint-eviction.ts';

const start = storyWorlds();
const onFirst = { nodeSelector: { 'kubernetes.io/hostname': 'n1' } };

describe('how long a pod may stay', () => {
  const gone = { key: 'gone', effect: 'NoExecute' };
  const slow = { key: 'slow', value: 'yes', effect: 'NoExecute' };
  test.each`
    taints          | tolerations                                                                                         | expected
    ${[]}           | ${[]}                                                                                               | ${undefined}
    ${[gone]}       | ${[]}                                                                                               | ${0}
    ${[gone]}       | ${[{ key: 'gone', operator: 'Exists' }]}                                                            | ${undefined}
    ${[gone]}       | ${[{ key: 'gone', operator: 'Exists', effect: 'NoSchedule' }]}                                      | ${0}
    ${[gone]}       | ${[{ key: 'gone', operator: 'Exists', tolerationSeconds: 60 }]}                                     | ${60_000}
    ${[gone]}       | ${[{ key: 'gone', operator: 'Exists', tolerationSeconds: -1 }]}                                     | ${0}
    ${[slow]}       | ${[{ key: 'slow', value: 'no' }]}                                                                   | ${0}
    ${[slow]}       | ${[{ key: 'slow', value: 'yes' }]}                                                                  | ${undefined}
    ${[gone, slow]} | ${[{ operator: 'Exists', tolerationSeconds: 30 }]}                                                  | ${30_000}
    ${[gone, slow]} | ${[{ key: 'gone', operator: 'Exists', tolerationSeconds: 9 }, { key: 'slow', operator: 'Exists' }]} | ${9000}
    ${[gone, slow]} | ${[{ key: 'gone', operator: 'Exists', tolerationSeconds: 9 }]}                                      | ${0}
  `('$tolerations against $taints: $expected', ({ taints, tolerations, expected }) => {
    expect(toleratedFor(taints, tolerations)).toBe(expected);
  });
});

describe('a NoExecute taint', () => {
  test('drives out at once who does not tolerate it, and later who tolerates it for a while', async () => {
    const world = await start();
    const tolerations = [{ key: 'example.com/x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
    await world.createPod('a', { spec: onFirst });
    await world.createPod('b', { spec: { ...onFirst, tolerations } });
    await world.createPod('c', { spec: { ...onFirst, tolerations: [{ operator: 'Exists' }] } });
    await world.pass(5);
    await world.taint('n1', 'example.com/x', 'NoExecute');
    await world.pass(1);
    expect(world.pods().map(({ name }) => name)).toEqual(['b', 'c']);
    await world.pass(50);
    expect(world.hasPod('b')).toBe(true);
    await world.pass(15);
    expect(world.pods().map(({ name }) => name)).toEqual(['c']);
  });

  test('that goes in time lets the pod stay', async () => {
    const world = await start();
    const tolerations = [{ key: 'example.com/x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
    await world.createPod('b', { spec: { ...onFirst, tolerations } });
    await world.pass(5);
    await world.taint('n1', 'example.com/x', 'NoExecute');
    await world.pass(50);
    await world.patchNode('n1', { spec: { taints: [] } });
    await world.pass(600);
    expect(world.hasPod('b')).toBe(true);
  });

  test('whose eviction is refused is tried five times within a second and then never again, until another taint comes', async () => {
    let refused = 0;
    let isClosed = true;
    const between = (direct: Transport, user: string): Transport => ({
      ...direct,
      send: async (request, signal) => {
        if (!isClosed || request.method !== 'DELETE' || !user.endsWith(':node-controller'))
          return direct.send(request, signal);
        refused += 1;
        const body = (async function* () {
          yield Buffer.from(JSON.stringify({ kind: 'Status', reason: 'Forbidden', code: 403 }));
        })();
        return { status: 403, headers: {}, warnings: [], body };
      },
    });
    const world = await start({ between });
    await world.createPod('a', { spec: onFirst });
    await world.pass(5);
    await world.taint('n1', 'example.com/x', 'NoExecute');
    await world.pass(1);
    expect(refused).toBe(5);
    expect(conditionOf(world.pod('a'), 'DisruptionTarget')?.status).toBe('True');
    await world.pass(100);
    expect(conditionOf(world.pod('a'), 'DisruptionTarget')?.status).toBe('True');
    await world.pass(30);
    expect(conditionOf(world.pod('a'), 'DisruptionTarget')?.status).toBe('False');

    isClosed = false;
    await world.patchPod('a', { metadata: { labels: { guard: 'open' } } });
    await world.pass(3600);
    expect(world.hasPod('a')).toBe(true);
    expect(refused).toBe(5);
    await world.taint('n1', 'example.com/y', 'NoExecute');
    await world.pass(1);
    expect(world.hasPod('a')).toBe(false);
  });
});
