import type { KubeObject } from '../../kube/object.ts';
import { nodeAddress } from './kubelet/addresses.ts';
import { kubeletLabel } from './kubelet/knobs.ts';

/** What a node of the cluster is; everything else is made up. */
export interface NodeOptions {
  readonly name: string;
  readonly zone: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Overrides of what the node offers: 16 cores, 64 Gi, 1 Ti of disk, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
}

/** A node as the real test control plane makes it. The number gives it an address of its own. */
export function buildNode({ name, zone, labels, annotations, capacity }: NodeOptions, number: number): KubeObject {
  const offered = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '1Ti', pods: '110', ...capacity };
  const node: KubeObject & { readonly status: object } = {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'r1',
        'topology.kubernetes.io/zone': zone,
        [kubeletLabel]: 'alive',
        ...labels,
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', ...annotations },
    },
    status: {
      capacity: offered,
      allocatable: offered,
      addresses: [
        { type: 'InternalIP', address: nodeAddress(number) },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: nodeInfo(name),
    },
  };
  return node;
}

/** `count` nodes n1, n2, ... dealt out over the zones z1, z2, ... */
export function dealNodes(count: number, zones: number): NodeOptions[] {
  return Array.from({ length: count }, (_, index) => ({ name: `n${index + 1}`, zone: `z${(index % zones) + 1}` }));
}

/** What a made-up kubelet says of its machine; the same on the real test control plane. */
export function nodeInfo(name: string): object {
  return {
    architecture: 'amd64',
    operatingSystem: 'linux',
    kubeletVersion: 'fake',
    kubeProxyVersion: '',
    containerRuntimeVersion: 'fake://1',
    kernelVersion: 'fake',
    osImage: 'fake',
    bootID: name,
    machineID: name,
    systemUUID: name,
  };
}
