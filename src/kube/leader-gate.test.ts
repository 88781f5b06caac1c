import { expect, test } from 'vitest';
import { KubeClient } from './client.ts';
import { assertLeading, fencedTransport, NotLeading } from './leader-gate.ts';
import { seededRandom } from './random.ts';
import { nodes } from './resources.ts';
import { leaseWorld } from './testing/lease-world.ts';

test('the fence lets reads pass always and writes only while leading', async () => {
  const { clock, api } = leaseWorld();
  const gate = { open: true, isLeader: () => gate.open };
  const client = new KubeClient({ transport: fencedTransport(api, gate), clock, random: seededRandom(1) });
  const signal = new AbortController().signal;
  const node = await client.create(nodes, { metadata: { name: 'n1' } }, { signal });
  gate.open = false;
  await expect(client.update(nodes, node, { signal })).rejects.toThrow(NotLeading);
  await expect(client.delete(nodes, { name: 'n1' }, { signal })).rejects.toThrow('DELETE /api/v1/nodes/n1: not sent');
  const program = { container: 'c', command: ['true'], mostBytes: 1, signal } as const;
  await expect(client.exec({ namespace: 'db', name: 'p' }, program)).rejects.toThrow(NotLeading);
  expect(await client.get(nodes, { name: 'n1' }, { signal })).toMatchObject({ metadata: { name: 'n1' } });
  expect(api.served).toEqual(['POST /api/v1/nodes 201', 'GET /api/v1/nodes/n1 200']);
  expect(() => assertLeading(gate, 'this')).toThrow(NotLeading);
});
