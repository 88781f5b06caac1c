import type { JsonObject, JsonValue } from '../../src/embedded/api-server/json.ts';
import { type Random, randomInteger } from '../../src/kube/random.ts';
import { budget, budgetStatus, configMap, pod, running } from './api-server-parity.objects.ts';
import { template } from './api-server-parity.steps.ts';

/** What a random walk does with one kind. */
export interface RandomKind {
  readonly collection: (namespace: string) => string;
  readonly isCluster?: true;
  readonly isPod?: true;
  readonly make: (random: Random, name: string) => JsonObject;
  /** A change of the spec, good or bad. */
  readonly change: (random: Random) => JsonObject;
  /** Absent where the kind has no status of its own. */
  readonly status?: (random: Random) => JsonObject;
  /** The member that a PUT replaces, besides labels. */
  readonly replaced?: string;
}

export function pick<T>(random: Random, ...choices: readonly [T, ...T[]]): T {
  return choices[randomInteger(random, 0, choices.length)] ?? choices[0];
}

const labels = ['app', 'tier'];

export function someMeta(random: Random): JsonObject {
  return {
    labels: Object.fromEntries(
      labels.filter(() => random.next() < 0.6).map((key) => [key, pick(random, 'db', 'x', '')]),
    ),
    ...(random.next() < 0.25 && { finalizers: [pick(random, 'example.com/x', 'example.com/y')] }),
    ...(random.next() < 0.25 && { annotations: { note: pick(random, 'a', 'b') } }),
  };
}

function someData(random: Random): JsonObject {
  const keys = ['k1', 'k2', 'k3'].filter(() => random.next() < 0.5);
  return Object.fromEntries(keys.map((key) => [key, pick(random, '1', '2')]));
}

/** An EvictionGuard, good or nearly so. */
function guard(random: Random, name: string): JsonObject {
  const spec: JsonObject = {
    engine: { type: 'http', http: { port: 8080 } },
    roles: [{ name: pick(random, 'member', 'other'), selector: { matchLabels: { app: 'db' } } }],
    ...(random.next() < 0.2 && { drainPolicy: pick(random, 'always-allow', 'nonsense') }),
    ...(random.next() < 0.2 && { unknownField: 1 }),
  };
  return { apiVersion: 'drover.dev/v1alpha1', kind: 'EvictionGuard', metadata: { name, ...someMeta(random) }, spec };
}

const taint = (random: Random): JsonObject => ({
  key: pick(random, 'a', 'b', 'not good'),
  effect: pick(random, 'NoSchedule', 'NoExecute', 'Nope'),
});

const configMaps: RandomKind = {
  collection: (ns) => `/api/v1/namespaces/${ns}/configmaps`,
  make: (random, name) => configMap(name, someData(random), someMeta(random)),
  change: (random) => ({ data: { k1: pick(random, '1', '2', null), k4: pick(random, 'x', null) } }),
  replaced: 'data',
};

const budgets: RandomKind = {
  collection: (ns) => `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`,
  make: (random, name) => budget(name, { minAvailable: randomInteger(random, 0, 3) }),
  change: (random) => ({ spec: { minAvailable: pick<JsonValue>(random, 1, 2, '50%', -1) } }),
  status: (random) => budgetStatus(randomInteger(random, 0, 3)),
  replaced: 'spec',
};

const guards: RandomKind = {
  collection: (ns) => `/apis/drover.dev/v1alpha1/namespaces/${ns}/evictionguards`,
  make: guard,
  change: (random) => ({ spec: { drainPolicy: pick(random, 'always-allow', 'block-for-eviction', 'nope') } }),
  status: () => ({ status: { counts: { pods: 1 } } }),
};

const pods: RandomKind = {
  collection: (ns) => `/api/v1/namespaces/${ns}/pods`,
  isPod: true,
  make: (random, name) => pod(name, random.next() < 0.7 ? { nodeName: 'n1' } : {}, someMeta(random)),
  change: (random) => ({ spec: { activeDeadlineSeconds: randomInteger(random, 1, 4) * 100 } }),
  status: (random) => running(random.next() < 0.7),
};

const nodes: RandomKind = {
  collection: () => '/api/v1/nodes',
  isCluster: true,
  make: (random, name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...someMeta(random) },
    spec: random.next() < 0.5 ? { unschedulable: true } : { taints: [taint(random)] },
  }),
  change: (random) => ({
    spec: random.next() < 0.5 ? { unschedulable: pick(random, true, false, null) } : { taints: [taint(random)] },
  }),
  status: (random) => ({
    status: { conditions: [{ type: 'Ready', status: pick(random, 'True', 'False', 'Unknown') }] },
  }),
};

const leases: RandomKind = {
  collection: (ns) => `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`,
  make: (random, name) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ...someMeta(random) },
    spec: { holderIdentity: pick(random, 'me', 'you', ''), leaseDurationSeconds: pick(random, 15, 0, 30) },
  }),
  change: (random) => ({
    spec: { holderIdentity: pick(random, 'me', 'you', null), leaseTransitions: randomInteger(random, -1, 3) },
  }),
  replaced: 'spec',
};

const statefulSets: RandomKind = {
  collection: (ns) => `/apis/apps/v1/namespaces/${ns}/statefulsets`,
  make: (random, name) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, ...someMeta(random) },
    spec: {
      replicas: randomInteger(random, 0, 4),
      serviceName: 's',
      selector: { matchLabels: { a: pick(random, 'b', 'b', 'c') } },
      template,
    },
  }),
  change: (random) => ({
    spec: pick<JsonObject>(random, { replicas: 2 }, { replicas: null }, { serviceName: 'x' }, { minReadySeconds: 5 }),
  }),
  status: (random) => ({ status: { replicas: 2, readyReplicas: randomInteger(random, 0, 3) } }),
};

const services: RandomKind = {
  collection: (ns) => `/api/v1/namespaces/${ns}/services`,
  make: (random, name) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...someMeta(random) },
    spec: { clusterIP: 'None', ports: [{ port: pick(random, 80, 81, 0) }], selector: { app: 'db' } },
  }),
  change: (random) => ({ spec: { selector: { app: pick(random, 'x', 'y') } } }),
};

/** Pods and budgets more often than the others, because evictions need both. */
export const randomKinds: readonly [RandomKind, ...RandomKind[]] = [
  pods,
  pods,
  budgets,
  budgets,
  guards,
  configMaps,
  nodes,
  leases,
  statefulSets,
  services,
];
