import { describe, expect, test } from 'vitest';
import { EngineRefused, EngineUnreachable } from '../../engines/engine.ts';
import { KubeClient } from '../../kube/client.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { at } from '../../model/testing/given.ts';
import { someCluster } from '../testing/some-cluster.ts';
import { bootstrap } from './bootstrap.ts';
import { ConnectionKeeper } from './connection-keeper.ts';

const notAsked = () => Promise.reject(new Error('not asked'));
const client = new KubeClient({
  transport: { send: notAsked, close: () => {} },
  clock: new VirtualClock(),
  random: seededRandom(1),
});
const { signal } = new AbortController();
const given = { foundationdb: { connectionString: { name: 'c', key: 'k' } } };

/** A database whose coordinators are on record, and what comes of asking its engine to set it up. */
async function after(answer: () => Promise<void>, status: object = {}) {
  const { cluster } = someCluster({ spec: { engine: { type: 'foundationdb', version: '7.3.63', ...given } }, status });
  const connections = new ConnectionKeeper(client);
  await connections.write(cluster, 'orders:1@10.0.0.1:4501', signal);
  const engine = { observe: notAsked, bootstrap: answer };
  return bootstrap({ cluster, engine, connections, ready: () => [], now: at(0) }, signal);
}

describe('a new database', () => {
  test('is up when its engine says so', async () => {
    expect(await after(() => Promise.resolve())).toEqual({ is: 'up', since: at(0) });
  });

  test.each([
    ['refused', new EngineRefused('no room')],
    ['answer', new EngineUnreachable('nobody there')],
  ])('waits for this otherwise: %s', async (waitsFor, error) => {
    expect(await after(() => Promise.reject(error))).toEqual({ is: 'coming', waitsFor, why: error.message });
  });

  test('is left alone once it was up', async () => {
    const up = { bootstrapTimestamp: '2026-11-14T00:00:00.000Z' };
    expect(await after(notAsked, up)).toMatchObject({ is: 'up' });
  });
});
