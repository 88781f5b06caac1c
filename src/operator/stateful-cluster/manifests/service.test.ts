import { expect, test } from 'vitest';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { serviceFor } from './service.ts';

test('a service leads to its one pod, also before that is ready', () => {
  const { cluster, role } = someCluster({ spec: { publicIPSource: 'Service' }, role: { processesPerPod: 2 } });
  const labels = {
    'drover.dev/cluster': 'orders',
    'drover.dev/role': 'storage',
    'drover.dev/process-group': 'storage-7',
  };
  expect(serviceFor(cluster, role, group)).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: 'db',
      name: 'orders-storage-7',
      labels,
      ownerReferences: [expect.objectContaining({ kind: 'StatefulCluster', uid: cluster.uid, controller: true })],
    },
    spec: {
      type: 'ClusterIP',
      selector: labels,
      publishNotReadyAddresses: true,
      ports: [
        { name: 'port-4501', port: 4501, targetPort: 4501, protocol: 'TCP' },
        { name: 'port-4503', port: 4503, targetPort: 4503, protocol: 'TCP' },
      ],
    },
  });
});

const ports = [{ containerPort: 7000 }, { containerPort: 7001 }, { containerPort: 7000, protocol: 'UDP' }];

test.each([
  [{ type: 'arangodb' }, 'agent', [8529]],
  [{ type: 'etcd', etcd: { port: 12_379 } }, 'member', [12_379, 2380]],
  [{ type: 'redis' }, 'primary', [6379, 16_379]],
  [{ type: 'redis', redis: { port: 60_000 } }, 'primary', [60_000]],
  [{ type: 'http', http: { port: 8080 } }, 'node', [8080]],
  [{ type: 'http', http: { url: 'http://admin' } }, 'node', [7000, 7001]],
] as const)('the ports for %j are those of the engine, or of the template', (engine, name, expected) => {
  const template = { spec: { containers: [{ name: 'c', ports }] } };
  const { cluster, role } = someCluster({ spec: { engine }, role: { name, template } });
  expect(serviceFor(cluster, role, group).spec).toMatchObject({ ports: expected.map((port) => ({ port })) });
});

test('a service must have a port, so it has one where nobody names any', () => {
  const engine = { type: 'http', http: { url: 'http://admin' } } as const;
  const { cluster, role } = someCluster({ spec: { engine }, role: { name: 'node' } });
  expect(serviceFor(cluster, role, group).spec).toMatchObject({ ports: [{ port: 80 }] });
});
