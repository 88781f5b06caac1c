import { nodeInfo } from '../../src/embedded/cluster/node-manifest.ts';
import { kubeletAddressType, kubeletLabel } from './command-lines.ts';

/** What a node of the cluster is; everything else is made up. */
export interface NodeOptions {
  readonly name: string;
  readonly zone: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Overrides of what the node offers: 16 cores, 64 Gi, 1 Ti of disk, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
}

/** A node whose kubelet is played by kwok, and listens where it is told. The number gives it an address of its own. */
export function buildNode(options: NodeOptions, number: number, kubeletPort?: number): object {
  const capacity = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '1Ti', pods: '110', ...options.capacity };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: options.name,
      labels: {
        'kubernetes.io/hostname': options.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'r1',
        'topology.kubernetes.io/zone': options.zone,
        [kubeletLabel]: 'alive',
        ...options.labels,
      },
      annotations: { ...options.annotations },
    },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address: `10.127.${Math.floor(number / 250)}.${(number % 250) + 1}` },
        { type: 'Hostname', address: options.name },
        ...(kubeletPort === undefined ? [] : [{ type: kubeletAddressType, address: '127.0.0.1' }]),
      ],
      ...(kubeletPort !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
      nodeInfo: nodeInfo(options.name),
    },
  };
}

/** `count` nodes n1, n2, ... dealt out over the zones z1, z2, ... */
export function dealNodes(count: number, zones: number): NodeOptions[] {
  return Array.from({ length: count }, (_, index) => ({ name: `n${index + 1}`, zone: `z${(index % zones) + 1}` }));
}

/** Claims without a class get "network", a disk that any node can mount; "local" ties the disk to the node of its first pod. */
export const storageClasses: readonly object[] = [
  storageClass('network', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
  storageClass('local', {}),
];

function storageClass(name: string, annotations: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: 'fake.drover.dev/disk',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
}
