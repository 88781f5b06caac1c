import { describe, expect, test } from 'vitest';
import { Cache } from '../../kube/cache.ts';
import { KubeClient } from '../../kube/client.ts';
import { seconds } from '../../kube/clock.ts';
import { jsonCodec } from '../../kube/codec.ts';
import { isConflict, isTooManyRequests } from '../../kube/errors.ts';
import { seededRandom } from '../../kube/random.ts';
import { Reflector } from '../../kube/reflector.ts';
import type { Pod } from '../../kube/resources.ts';
import { leases, nodes, pods } from '../../kube/resources.ts';
import { inProcessTransport } from './in-process-transport.ts';
import { SmallWorld } from './testing/small-world.ts';

const { signal } = new AbortController();

function clientOf(world: SmallWorld): KubeClient {
  const transport = inProcessTransport(world.server, { user: 'system:serviceaccount:drover:drover' });
  return new KubeClient({
    transport,
    clock: world.clock,
    random: seededRandom(1),
    rateLimit: { perSecond: 1e6, burst: 1e6 },
  });
}

const pod = (name: string): Pod => ({
  metadata: { name, namespace: 'default', labels: { app: 'db' } },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
});

describe("Drover's own client, without a network", () => {
  test('creates, reads, patches, applies, evicts and deletes', async () => {
    const world = new SmallWorld();
    const client = clientOf(world);
    const made = await client.create(pods, pod('p'), { signal });
    expect(made.metadata.uid).toBeDefined();
    const key = { namespace: 'default', name: 'p' };
    await client.patch(pods, key, { type: 'strategic', body: { metadata: { labels: { x: 'y' } } } }, { signal });
    await client.patch(
      pods,
      key,
      {
        type: 'apply',
        force: true,
        body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations: { a: 'b' } } },
      },
      { signal, fieldManager: 'drover' },
    );
    const read = await client.get(pods, key, { signal });
    expect(read.metadata.labels).toEqual({ app: 'db', x: 'y' });
    expect(read.metadata.annotations).toEqual({ a: 'b' });
    const stale = client.update(pods, { ...made, metadata: { ...made.metadata, labels: {} } }, { signal });
    await expect(stale).rejects.toSatisfy(isConflict);
    await client.evict(key, { signal });
    expect((await client.get(pods, key, { signal })).metadata.deletionGracePeriodSeconds).toBe(30);
    await client.delete(pods, key, { signal, gracePeriodSeconds: 0 });
    await expect(client.get(pods, key, { signal })).rejects.toThrow('not found');
  });

  test('a budget answers an eviction with 429', async () => {
    const world = new SmallWorld();
    const client = clientOf(world);
    await client.create(pods, pod('p'), { signal });
    await world.merge('/api/v1/namespaces/default/pods/p/status', { status: { phase: 'Running' } });
    await world.make('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      metadata: { name: 'lock' },
      spec: { minAvailable: 2147483647, selector: { matchLabels: { app: 'db' } } },
    });
    await expect(client.evict({ namespace: 'default', name: 'p' }, { signal })).rejects.toSatisfy(isTooManyRequests);
  });

  test('a reflector keeps up, also after a compaction', async () => {
    const world = new SmallWorld();
    const client = clientOf(world);
    const stop = new AbortController();
    const cache = new Cache<Pod, string>({
      clock: world.clock,
      key: (each) => `${each.metadata.namespace}/${each.metadata.name}`,
      version: (each) => each.metadata.resourceVersion ?? '',
      indexes: {},
      onHandlerError: (error) => {
        throw error;
      },
    });
    const codec = jsonCodec((raw: Pod) => raw);
    const reflector = new Reflector({
      client,
      clock: world.clock,
      random: seededRandom(2),
      resource: pods,
      codec,
      cache,
    });
    const running = reflector.run(stop.signal);
    await client.create(pods, pod('a'), { signal });
    await world.clock.pass(seconds(1));
    expect([...cache.values()].map((each) => each.metadata.name)).toEqual(['a']);
    await client.create(pods, pod('b'), { signal });
    world.server.compact();
    await world.clock.pass(seconds(1200));
    await client.create(pods, pod('c'), { signal });
    await world.clock.pass(seconds(60));
    expect([...cache.values()].map((each) => each.metadata.name).sort()).toEqual(['a', 'b', 'c']);
    stop.abort();
    await running;
  });

  test('an aborted request rejects with the reason of its signal', async () => {
    const world = new SmallWorld();
    const transport = inProcessTransport(world.server);
    const aborted = AbortSignal.abort(new Error('nobody waits'));
    await expect(transport.send({ method: 'GET', path: '/api/v1/pods', headers: {} }, aborted)).rejects.toThrow(
      'nobody waits',
    );
  });

  test('an aborted watch ends with the reason of its signal', async () => {
    const world = new SmallWorld();
    const stop = new AbortController();
    const transport = inProcessTransport(world.server);
    const response = await transport.send({ method: 'GET', path: '/api/v1/pods?watch=1', headers: {} }, stop.signal);
    const reading = response.body[Symbol.asyncIterator]().next();
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(world.clock.pending).toBe(0);
  });
});

describe('the same requests', () => {
  async function run(): Promise<string> {
    const world = new SmallWorld();
    const client = clientOf(world);
    await client.create(nodes, { metadata: { name: 'n1' } }, { signal });
    await client.create(
      leases,
      { metadata: { name: 'l', namespace: 'default' }, spec: { holderIdentity: 'a' } },
      { signal },
    );
    for (let index = 0; index < 20; index++) {
      await world.make('/api/v1/namespaces/default/pods', {
        metadata: { generateName: 'p-' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
    }
    await world.clock.pass(seconds(5));
    const texts = await Promise.all(
      ['/api/v1/pods', '/api/v1/nodes', '/apis/coordination.k8s.io/v1/leases'].map(
        async (path) => (await world.raw('GET', path)).body,
      ),
    );
    return texts.map(String).join('\n');
  }

  test('give the same bytes', async () => {
    expect(await run()).toBe(await run());
  });
});

describe('speed', () => {
  test('a thousand writes and ten thousand reads take far less than the time that they are about', async () => {
    const world = new SmallWorld();
    const transport = inProcessTransport(world.server);
    const started = process.cpuUsage();
    for (let index = 0; index < 1000; index++) {
      await transport.send(
        {
          method: 'POST',
          path: '/api/v1/namespaces/default/pods',
          headers: {},
          body: JSON.stringify(pod(`p${index}`)),
        },
        signal,
      );
      for (let read = 0; read < 10; read++) {
        await transport.send({ method: 'GET', path: `/api/v1/namespaces/default/pods/p${index}`, headers: {} }, signal);
      }
    }
    const { user } = process.cpuUsage(started);
    expect(user / 1000).toBeLessThan(4000);
  });
});
