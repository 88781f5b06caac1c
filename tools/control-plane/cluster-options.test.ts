import { expect, test } from 'vitest';
import { quickNodeTimings, usualNodeTimings } from '../../src/embedded/cluster/nodes/node-timings.ts';
import { dealNodes } from './cluster-objects.ts';
import { resolveOptions } from './cluster-options.ts';
import { commandLine, parts } from './command-lines.ts';

test.each([
  [{}, 3, 3],
  [{ nodes: 1 }, 1, 1],
  [{ nodes: 0 }, 0, 1],
  [{ nodes: 9 }, 9, 3],
  [{ nodes: 4, zones: 2 }, 4, 2],
])('%o makes %d nodes in %d zones', (options, nodes, zones) => {
  expect(resolveOptions(options)).toMatchObject({ nodes, zones, nodeTimings: usualNodeTimings });
});

test.each([
  [{ nodes: -1 }, 'nodes is -1; it must be a whole number from 0 to 5000'],
  [{ nodes: 2.5 }, 'nodes is 2.5'],
  [{ nodes: 2, zones: 3 }, 'zones is 3; it must be a whole number from 1 to the 2 nodes'],
  [{ without: ['etcd'] as const }, 'a cluster needs etcd and kube-apiserver'],
])('%o is refused', (options, message) => {
  expect(() => resolveOptions(options)).toThrow(message);
});

test('nodes are dealt out over the zones in turn', () => {
  expect(dealNodes(4, 3).map(({ name, zone }) => `${name} ${zone}`)).toEqual(['n1 z1', 'n2 z2', 'n3 z3', 'n4 z1']);
});

test.each(parts)('the flags that a test gives to %s come last, where they win', (part) => {
  const input = {
    port: 20_001,
    serviceAccounts: true,
    nodeTimings: quickNodeTimings,
    stages: ['a.yaml'],
    kubelet: null,
  };
  const line = commandLine(part, { ...input, extraFlags: { [part]: ['--v=4'] } });
  expect(line.at(-1)).toBe('--v=4');
  expect(line.length).toBeGreaterThan(2);
});

test('everything listens on loopback or not at all', () => {
  const kubelet = { port: 20_002, config: 'exec.yaml' };
  const input = {
    port: 20_001,
    serviceAccounts: true,
    nodeTimings: usualNodeTimings,
    stages: [],
    kubelet,
    extraFlags: {},
  };
  const listening = parts.flatMap((part) =>
    commandLine(part, input).filter((flag) => /^--(listen|bind|secure-port|server-address)/.test(flag)),
  );
  expect(listening).toEqual([
    '--listen-client-urls=unix://etcd:0',
    '--listen-peer-urls=unix://etcd-peer:0',
    '--bind-address=127.0.0.1',
    '--secure-port=20001',
    '--secure-port=0',
    '--secure-port=0',
    '--server-address=127.0.0.1:20002',
  ]);
});
