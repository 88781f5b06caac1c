import { describe, expect, test } from 'vitest';
import { chosenClusterEngine, chosenGuardEngine } from './engine.defaults.ts';
import { clusterEngine, guardEngine } from './engine.schema.ts';

describe('the chosen engine has its options in place, also where the spec names none', () => {
  test.each([
    ['foundationdb', { redundancyMode: 'double', storageEngine: 'ssd-2', fdbcli: { runIn: 'Pod', path: 'fdbcli' } }],
    ['arangodb', { mode: 'Cluster', port: 8529 }],
    ['etcd', { port: 2379 }],
    ['redis', { port: 6379 }],
  ])('of a cluster: %s', (type, options) => {
    expect(chosenClusterEngine(clusterEngine.parse({ type, version: '7.3.63' }))).toMatchObject({ type, options });
  });

  test.each([
    ['foundationdb', { fdbcli: { runIn: 'Pod', container: 'foundationdb' } }],
    ['longhorn', { namespace: 'longhorn-system' }],
    ['etcd', { port: 2379 }],
    ['arangodb', { port: 8529 }],
    ['redis', { port: 6379 }],
  ])('of a guard: %s', (type, options) => {
    expect(chosenGuardEngine(guardEngine.parse({ type }))).toMatchObject({ type, options });
  });

  test('what the spec says stands', () => {
    const engine = guardEngine.parse({ type: 'http', http: { port: 80 } });
    expect(chosenGuardEngine(engine)).toEqual({ type: 'http', options: { port: 80, path: '/', timeoutSeconds: 10 } });
    expect(chosenClusterEngine(clusterEngine.parse({ type: 'etcd', etcd: { port: 1 } }))).toEqual({
      type: 'etcd',
      options: { port: 1 },
    });
  });

  test('an http engine without an address was never parsed', () => {
    expect(() => chosenGuardEngine({ type: 'http' })).toThrow('engine.http is required');
  });
});
