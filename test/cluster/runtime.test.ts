import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KubeClient } from '../../src/kube/client.ts';
import { seconds } from '../../src/kube/clock.ts';
import { isConflict, isNotFound } from '../../src/kube/errors.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { LeaderLease } from '../../src/kube/leader-lease.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { nodes, pods, referenceTo } from '../../src/kube/resources.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const stop = new AbortController();
const options = { signal: stop.signal };
let cluster: Cluster;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startCluster({ nodes: 1 });
  const transport = nodeTransport(await kubeconfigConnection(cluster.kubeconfig, realClock));
  client = new KubeClient({ transport, clock: realClock, random: realRandom });
});
afterAll(async () => {
  stop.abort();
  await cluster?.stop();
});

async function createPod(name: string): Promise<KubeObject> {
  const spec = { containers: [{ name: 'c', image: 'x' }] };
  await client.create(pods, { metadata: { namespace: 'default', name }, spec }, options);
  await cluster.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=30s']);
  return client.get(pods, { namespace: 'default', name }, options);
}

describe('the client, on the real API server', () => {
  const key = { namespace: 'default', name: 'thing' };
  const thing = (data: Record<string, string>, resourceVersion?: string) => ({
    metadata: { ...key, resourceVersion },
    data,
  });
  const data = async () => (await client.get<KubeObject & { data?: unknown }>(configMaps, key, options)).data;

  test('writes in every way that the API has, and a dry run changes nothing', async () => {
    await client.create(configMaps, thing({ a: '1' }), options);
    await client.create(configMaps, { metadata: { ...key, name: 'dry' } }, { ...options, dryRun: true });
    await expect(client.get(configMaps, { ...key, name: 'dry' }, options)).rejects.toSatisfy(isNotFound);
    await client.patch(configMaps, key, { type: 'merge', body: { data: { b: '2' } } }, options);
    await client.patch(configMaps, key, { type: 'strategic', body: { data: { c: '3' } } }, options);
    await client.patch(configMaps, key, { type: 'json', operations: [{ op: 'remove', path: '/data/a' }] }, options);
    const apply = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { d: '4' } };
    await client.patch(
      configMaps,
      key,
      { type: 'apply', body: apply, force: false },
      { ...options, fieldManager: 'test' },
    );
    expect(await data()).toEqual({ b: '2', c: '3', d: '4' });
    await client.update(configMaps, thing({ e: '5' }), options);
    expect(await data()).toEqual({ e: '5' });
  });

  test('a stale version, a wrong uid and a failed test are conflicts, and nothing is written', async () => {
    await expect(client.update(configMaps, thing({ f: '6' }, '1'), options)).rejects.toSatisfy(isConflict);
    const stale = { metadata: { resourceVersion: '1' }, data: { f: '6' } };
    await expect(client.patch(configMaps, key, { type: 'merge', body: stale }, options)).rejects.toSatisfy(isConflict);
    const wrongUid = { ...options, preconditions: { uid: 'somebody-else' } };
    await expect(client.delete(configMaps, key, wrongUid)).rejects.toSatisfy(isConflict);
    await expect(client.evict({ namespace: 'default', name: 'no-such-pod' }, options)).rejects.toSatisfy(isNotFound);
    expect(await data()).toEqual({ e: '5' });
  });

  test('an eviction with the uid of a pod that was replaced leaves the new one alone', async () => {
    await createPod('moved');
    const moved = { namespace: 'default', name: 'moved' };
    await expect(client.evict(moved, { ...options, preconditions: { uid: 'the-old-one' } })).rejects.toSatisfy(
      isConflict,
    );
    await expect(client.get(pods, moved, options)).resolves.toBeDefined();
  });
});

describe('events, as kubectl shows them', () => {
  test('equal ones become one with a count, about pods and about nodes', async () => {
    const pod = await createPod('talked-about');
    const node = await client.get(nodes, { name: 'n1' }, options);
    const dropped: unknown[] = [];
    const recorder = new EventRecorder({
      client,
      clock: realClock,
      random: realRandom,
      controller: 'example.dev/tester',
      instance: 'test-0',
      onDropped: (why, error) => dropped.push([why, error]),
    });
    const about = { type: 'Normal', reason: 'Waiting', action: 'Evict', note: 'waits for ä second copy' } as const;
    for (let i = 0; i < 3; i++) recorder.record({ ...about, regarding: referenceTo(pods, pod) });
    recorder.record({ ...about, regarding: referenceTo(nodes, node) });
    await recorder.close(seconds(10));
    expect(dropped).toEqual([]);
    const { stdout } = await cluster.kubectl(['get', 'events.events.k8s.io', '-n', 'default', '-o', 'json']);
    const written: { reason: string; note: string; series?: { count: number }; regarding: { kind: string } }[] =
      JSON.parse(stdout).items;
    const ours = written.filter(({ reason }) => reason === 'Waiting');
    expect(ours.map(({ regarding, note, series }) => `${regarding.kind} ${note} ${series?.count ?? 1}`).sort()).toEqual(
      ['Node waits for ä second copy 1', 'Pod waits for ä second copy 3'],
    );
  });
});

describe('the leader', () => {
  test('carries the label while it leads, takes it from the last one, and gives the lease back', async () => {
    await createPod('replica-0');
    await createPod('replica-1');
    await cluster.kubectl(['label', 'pod', 'replica-1', 'example.dev/leader=true']);
    const labelled = async () =>
      (await cluster.kubectl(['get', 'pods', '-l', 'example.dev/leader=true', '-o', 'name'])).stdout.trim();
    const lease = new LeaderLease({
      client,
      clock: realClock,
      random: realRandom,
      lease: { namespace: 'default', name: 'test' },
      identity: 'replica-0_1',
      label: { pod: { namespace: 'default', name: 'replica-0' }, key: 'example.dev/leader' },
    });
    const term = new AbortController();
    const end = lease.run(
      term.signal,
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    await expect.poll(labelled, { timeout: 15_000 }).toBe('pod/replica-0');
    expect(lease.isLeader()).toBe(true);
    term.abort();
    expect(await end).toEqual({ reason: 'stopped', finished: true });
    expect(lease.isLeader()).toBe(false);
    expect(await labelled()).toBe('');
    const holder = ['get', 'lease', 'test', '-o', 'jsonpath={.spec.holderIdentity}'];
    expect((await cluster.kubectl(holder)).stdout).toBe('');
  });
});
