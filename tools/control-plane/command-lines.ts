import type { NodeTimings } from '../../src/embedded/cluster/nodes/node-timings.ts';

/** The processes of a control plane, in the order in which they start; they stop in the opposite order. */
export const parts = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;

/** One process of a control plane; also the name under which the binary plays it. */
export type Part = (typeof parts)[number];

/** Everything that the command lines depend on. Paths are relative to the data folder, in which every part runs. */
export interface CommandLineInput {
  readonly port: number;
  /** False where no controller manager makes the service accounts that the admission plugin would insist on. */
  readonly serviceAccounts: boolean;
  readonly nodeTimings: NodeTimings;
  /** Absolute paths of the files that tell kwok how nodes, pods and disks behave. */
  readonly stages: readonly string[];
  /** Where kwok listens as the kubelet of all nodes, and with which file, so that programs can be run in pods; null: not at all. */
  readonly kubelet: { readonly port: number; readonly config: string } | null;
  /** Further flags by part, after ours: the last one wins. */
  readonly extraFlags: Partial<Readonly<Record<Part, readonly string[]>>>;
}

/** Names of files in the data folder. */
export const files = {
  serviceAccountKey: 'service-account.key',
  tokens: 'tokens.csv',
  certificates: 'certificates',
  servingCertificate: 'certificates/apiserver.crt',
} as const;

/** The kubeconfig with which a part reaches the API server. */
export function kubeconfigOf(part: Part): string {
  return `${part}.kubeconfig`;
}

// A socket needs no port that somebody else could take. etcd insists on host:port even here, so that is the name of the file.
const etcdSocket = 'unix://etcd:0';

const ownFlags: Readonly<Record<Part, (input: CommandLineInput) => string[]>> = {
  etcd: etcdFlags,
  'kube-apiserver': apiServerFlags,
  'kube-controller-manager': controllerManagerFlags,
  'kube-scheduler': schedulerFlags,
  kwok: kwokFlags,
};

/** The arguments with which a part is started. */
export function commandLine(part: Part, input: CommandLineInput): string[] {
  return [...ownFlags[part](input), ...(input.extraFlags[part] ?? [])];
}

function etcdFlags(): string[] {
  return [
    '--name=drover',
    '--data-dir=etcd',
    `--listen-client-urls=${etcdSocket}`,
    `--advertise-client-urls=${etcdSocket}`,
    '--listen-peer-urls=unix://etcd-peer:0',
    '--initial-cluster=drover=http://localhost:2380',
    '--log-level=warn',
    // The data does not have to survive a power cut, and a flush to disk costs more than everything else in a write.
    '--unsafe-no-fsync',
  ];
}

function apiServerFlags({ port, serviceAccounts, kubelet }: CommandLineInput): string[] {
  return [
    `--etcd-servers=${etcdSocket}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${files.certificates}`,
    // Loopback may not stand in the endpoints of the service "kubernetes", and without a network there is no other address: keep none.
    '--advertise-address=192.0.2.1',
    '--endpoint-reconciler-type=none',
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--profiling=false',
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...(kubelet === null ? [] : [`--kubelet-preferred-address-types=${kubeletAddressType}`]),
  ];
}

function controllerManagerFlags({ nodeTimings }: CommandLineInput): string[] {
  return [
    `--kubeconfig=${kubeconfigOf('kube-controller-manager')}`,
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    // Each controller acts under its own name, as in a normal cluster: admission policies tell them apart by it.
    '--use-service-account-credentials',
    // It makes an account and a token for each of its forty controllers at its start: 4 s at the default of 20 a second.
    '--kube-api-qps=1000',
    '--kube-api-burst=1000',
    '--leader-elect=false',
    '--secure-port=0',
    `--node-monitor-grace-period=${nodeTimings.graceSeconds}s`,
    `--node-monitor-period=${nodeTimings.monitorSeconds}s`,
    `--node-startup-grace-period=${nodeTimings.graceSeconds + 10}s`,
    `--node-eviction-rate=${nodeTimings.nodesTaintedPerSecond}`,
    '--profiling=false',
  ];
}

function schedulerFlags(): string[] {
  return [`--kubeconfig=${kubeconfigOf('kube-scheduler')}`, '--leader-elect=false', '--secure-port=0'];
}

function kwokFlags({ nodeTimings, stages, kubelet }: CommandLineInput): string[] {
  return [
    ...stages.map((path) => `--config=${path}`),
    `--kubeconfig=${kubeconfigOf('kwok')}`,
    `--manage-nodes-with-label-selector=${kubeletLabel}=alive`,
    `--node-lease-duration-seconds=${nodeTimings.leaseSeconds}`,
    '--cidr=10.128.0.0/12',
    ...(kubelet === null ? [] : [`--config=${kubelet.config}`, `--server-address=127.0.0.1:${kubelet.port}`]),
  ];
}

/** The address by which the API server reaches a node's kubelet. The others are made up. */
export const kubeletAddressType = 'ExternalIP';

/** The label of a node that says whether its kubelet lives: `alive` or `dead`. */
export const kubeletLabel = 'fake.drover.dev/kubelet';
