import type { JsonObject } from '../../src/embedded/api-server/json.ts';

/** Plain objects for scenarios. Each call makes a new one. */
export const configMap = (name: string, data: JsonObject = { a: '1' }, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

export const pod = (name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'db' }, ...metadata },
  spec: { containers: [{ name: 'c', image: 'busybox:1' }], ...more },
});

export const budget = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } }, ...spec },
});

/** The status that the disruption controller would write. */
export const budgetStatus = (allowed: number, more: JsonObject = {}): JsonObject => ({
  status: {
    observedGeneration: 1,
    disruptionsAllowed: allowed,
    currentHealthy: 2,
    desiredHealthy: 2,
    expectedPods: 2,
    ...more,
  },
});

export const running = (ready: boolean): JsonObject => ({
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
});

export const eviction = (name: string, deleteOptions?: JsonObject): JsonObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...(deleteOptions !== undefined && { deleteOptions }),
});

export const nodeDrain = (name: string, spec: JsonObject = { nodes: ['n1'] }): JsonObject => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'NodeDrain',
  metadata: { name },
  spec,
});
