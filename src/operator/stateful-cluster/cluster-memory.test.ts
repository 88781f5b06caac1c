import { describe, expect, test } from 'vitest';
import { InvalidObjectError } from '../../api/parse.ts';
import { ClusterMemory } from './cluster-memory.ts';

const metadata = { namespace: 'db', name: 'orders', uid: 'u-1', generation: 1, resourceVersion: '10' };
const spec = { engine: { type: 'foundationdb', version: '7.3.63' }, roles: [{ name: 'storage', count: 3 }] };
const object = { apiVersion: 'drover.dev/v1alpha1', kind: 'StatefulCluster', metadata, spec };
const withMetadata = (changed: Partial<typeof metadata>) => ({ ...object, metadata: { ...metadata, ...changed } });
const twoMore = { ...spec, roles: [{ name: 'storage', count: 5 }] };

describe('what is remembered of a cluster', () => {
  test('is all of it while nobody writes to it', () => {
    const memory = new ClusterMemory();
    expect(memory.read({ ...object })).toBe(memory.read({ ...object }));
  });

  test('is the spec while only the status is written', () => {
    const memory = new ClusterMemory();
    const before = memory.read(object);
    const status = { nextProcessGroupNumber: 7 };
    const after = memory.read(Object.assign(withMetadata({ resourceVersion: '11' }), { status }));
    expect(after.status.nextProcessGroupNumber).toBe(7);
    expect(after.resourceVersion).toBe('11');
    expect(after.spec).toBe(before.spec);
  });

  test.each([
    ['another generation', { generation: 2, resourceVersion: '11' }],
    ['another cluster of its name', { uid: 'u-2', resourceVersion: '11' }],
  ])('is nothing for %s', (_, changed) => {
    const memory = new ClusterMemory();
    memory.read(object);
    expect(memory.read(Object.assign(withMetadata(changed), { spec: twoMore })).spec.roles[0]?.count).toBe(5);
  });

  test('is nothing once it is gone, and nothing of what breaks a rule', () => {
    const memory = new ClusterMemory();
    const before = memory.read(object);
    memory.leave('db/orders');
    expect(memory.read(object)).not.toBe(before);
    const broken = { ...withMetadata({ generation: 2, resourceVersion: '12' }), spec: { ...spec, roles: [] } };
    expect(() => memory.read(broken)).toThrow(InvalidObjectError);
    expect(() => memory.read(broken)).toThrow(InvalidObjectError);
  });

  test('is no excuse for a status that breaks a rule', () => {
    const memory = new ClusterMemory();
    memory.read(object);
    const broken = { ...withMetadata({ resourceVersion: '12' }), status: { nextProcessGroupNumber: 'seven' } };
    expect(() => memory.read(broken)).toThrow('status.nextProcessGroupNumber');
  });
});
