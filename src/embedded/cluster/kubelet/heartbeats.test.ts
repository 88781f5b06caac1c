import { describe, expect, test } from 'vitest';
import { ConnectionLost } from '../../../kube/errors.ts';
import type { Transport } from '../../../kube/transport.ts';
import { textAt } from '../../api-server/json.ts';
import { readiness } from '../node-view.ts';
import { quickNodeTimings } from '../nodes/node-timings.ts';
import type { ClusterWorld } from '../testing/cluster-world.ts';
import { storyWorlds } from '../testing/story.ts';

const start = storyWorlds();
const renewal = (world: ClusterWorld, node: string) =>
  textAt(
    world.cluster.world.store.collection('leases.coordination.k8s.io').get('kube-node-lease', node)?.object,
    'spec',
    'renewTime',
  );

describe('leases', () => {
  test('that are implied are written once, belong to their node, and keep it ready', async () => {
    const world = await start();
    const first = renewal(world, 'n1');
    expect(first).toMatch(/^2026-11-15T00:00:0\d\.\d{6}Z$/);
    await world.pass(3600);
    expect(renewal(world, 'n1')).toBe(first);
    expect(readiness(world.node('n1'))).toBe('True');
  });

  test('that are written are renewed every ten seconds', async () => {
    const world = await start({ leases: 'written' });
    await world.pass(600);
    expect(Date.parse(renewal(world, 'n1'))).toBeGreaterThan(world.clock.now() - 11_000);
    expect(readiness(world.node('n1'))).toBe('True');
  });

  test('that cannot be written make their node unreachable, although nothing else is wrong with it', async () => {
    let isCut = false;
    const between = (direct: Transport, user: string): Transport => ({
      ...direct,
      send: (request, signal) =>
        isCut && user === 'system:node:n1'
          ? Promise.reject(new ConnectionLost('cut', { sent: false }))
          : direct.send(request, signal),
    });
    const world = await start({ leases: 'written', between });
    isCut = true;
    await world.pass(65);
    expect(readiness(world.node('n1'))).toBe('Unknown');
    expect(readiness(world.node('n2'))).toBe('True');
    isCut = false;
    await world.pass(60);
    expect(readiness(world.node('n1'))).toBe('True');
    expect(world.taints('n1')).toEqual([]);
  });

  test('are missed within 6 s where the cluster is quick', async () => {
    const world = await start({ nodeTimings: quickNodeTimings });
    world.cluster.killNode('n1');
    await world.pass(6);
    expect(world.taints('n1')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  });
});
