import { describe, expect, test } from 'vitest';
import type { JsonObject } from './json.ts';
import { builtinSchema } from './schema.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

const pod = builtinSchema('io.k8s.api.core.v1.Pod');
const node = builtinSchema('io.k8s.api.core.v1.Node');

const containers = (...list: JsonObject[]): JsonObject => ({ spec: { containers: list } });

describe('a strategic merge patch', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'merges containers by name',
      containers({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
      containers({ name: 'b', image: '2' }),
      containers({ name: 'a', image: '1' }, { name: 'b', image: '2' }),
    ],
    [
      'puts new entries before those that the live list does not place',
      containers({ name: 'a' }),
      containers({ name: 'z' }),
      containers({ name: 'z' }, { name: 'a' }),
    ],
    [
      'takes an entry away',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'a', $patch: 'delete' }),
      containers({ name: 'b' }),
    ],
    [
      'replaces a list',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ $patch: 'replace' }, { name: 'c' }),
      containers({ name: 'c' }),
    ],
    [
      'orders a list',
      containers({ name: 'a' }, { name: 'b' }),
      { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      containers({ name: 'b' }, { name: 'a' }),
    ],
    [
      'replaces a map',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'replace', b: '2' } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'takes a member away',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'takes values out of a list of scalars',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'keeps only what it names',
      { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] } },
      { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
    ],
  ])('%s', (_, target, patch, expected) => {
    expect(strategicMergePatch(target, patch, pod)).toEqual(expected);
  });

  test('replaces taints as one list, because the API says so', () => {
    const before = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
    const patch = { spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] } };
    expect(strategicMergePatch(before, patch, node)).toEqual(patch);
  });

  test('leaves its arguments alone', () => {
    const before = containers({ name: 'a', image: '1' });
    const text = JSON.stringify(before);
    strategicMergePatch(before, containers({ name: 'a', image: '2' }, { name: 'b' }), pod);
    expect(JSON.stringify(before)).toBe(text);
  });
});
