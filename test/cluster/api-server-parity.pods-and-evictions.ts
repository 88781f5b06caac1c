import type { JsonObject } from '../../src/embedded/api-server/json.ts';
import { budget, budgetStatus, eviction, pod, running } from './api-server-parity.objects.ts';
import { earlier, get, patch, pdb, po, post, put, remove, type Scenario, scenario } from './api-server-parity.steps.ts';

export const pods: readonly Scenario[] = [
  scenario('defaults', (ns) => [
    post(
      po(ns),
      pod('p', {
        containers: [
          {
            name: 'c',
            image: 'busybox',
            ports: [{ containerPort: 80 }],
            resources: { requests: { cpu: '1000m', memory: '1024Mi' }, limits: { cpu: '2' } },
            env: [{ name: 'A' }, { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            readinessProbe: { httpGet: { port: 80 } },
          },
        ],
        initContainers: [
          { name: 'i', image: 'x@sha256:0123456789012345678901234567890123456789012345678901234567890123' },
        ],
        volumes: [{ name: 'v' }, { name: 's', secret: { secretName: 'x' } }, { name: 'h', hostPath: { path: '/x' } }],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      }),
    ),
    post(po(ns), {
      ...pod('q', { tolerations: [{ operator: 'Exists' }], serviceAccountName: 'x' }),
      status: { phase: 'Running' },
    }),
    post(
      po(ns),
      pod('r', { containers: [{ name: 'c', image: 'i:latest', resources: { limits: { cpu: '1', memory: '1Gi' } } }] }),
    ),
    post(po(ns), pod('Dotted.Name')),
    post(po(ns), pod('dotted.name')),
  ]),
  scenario('refusals', (ns) => [
    post(po(ns), pod('p', { containers: [] })),
    post(po(ns), pod('p', { containers: [{ name: 'c' }] })),
    post(po(ns), pod('p', { containers: [{ image: 'c' }] })),
    post(
      po(ns),
      pod('p', {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'i' },
        ],
      }),
    ),
    post(po(ns), pod('p', { terminationGracePeriodSeconds: 'x' })),
    post(`${po(ns)}?fieldValidation=Strict`, pod('p', { foo: 1, containers: [{ name: 'c', image: 'i', bar: 2 }] })),
  ]),
  scenario('updates', (ns) => [
    post(po(ns), pod('p')),
    patch(po(ns, 'p'), 'merge', { spec: { nodeName: 'n2' } }),
    patch(po(ns, 'p'), 'merge', { spec: { activeDeadlineSeconds: 30 } }),
    patch(po(ns, 'p'), 'strategic', { spec: { containers: [{ name: 'c', image: 'busybox:2' }] } }),
    patch(po(ns, 'p'), 'strategic', { spec: { containers: [{ name: 'd', image: 'busybox:2' }] } }),
    patch(po(ns, 'p'), 'merge', { metadata: { labels: { x: 'y' } }, status: { phase: 'Running' } }),
    patch(`${po(ns, 'p')}/status`, 'merge', {
      metadata: { labels: { z: 'y' } },
      status: { phase: 'Running' },
      spec: { nodeName: 'n5' },
    }),
    put(
      `${po(ns, 'p')}/status`,
      earlier(0, (object) => ({ ...object, status: { phase: 'Failed' } })),
    ),
  ]),
  scenario('binding', (ns) => [
    post(po(ns), pod('p')),
    post(`${po(ns, 'p')}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'q' },
      target: { kind: 'Node', name: 'n1' },
    }),
    post(`${po(ns, 'p')}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p', uid: 'zzz' },
      target: { kind: 'Node', name: 'n1' },
    }),
    post(`${po(ns, 'p')}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p', annotations: { a: 'b' } },
      target: { kind: 'Node', name: 'n1' },
    }),
    post(`${po(ns, 'p')}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n1' },
    }),
    get(po(ns, 'p')),
    post(`${po(ns, 'zz')}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'zz' },
      target: { kind: 'Node', name: 'n1' },
    }),
  ]),
];

const evict = (ns: string, name: string, options?: JsonObject) =>
  post(`${po(ns, name)}/eviction`, eviction(name, options));
const setStatus = (ns: string, name: string, body: JsonObject) => patch(`${po(ns, name)}/status`, 'merge', body);
const setBudget = (ns: string, body: JsonObject, name = 'b') => patch(`${pdb(ns, name)}/status`, 'merge', body);

/** A running pod `p` under a budget `b` whose status the controller would have written so. */
const guarded = (ns: string, ready: boolean, status: JsonObject, spec: JsonObject = {}) => [
  post(po(ns), pod('p', { nodeName: 'n1' })),
  setStatus(ns, 'p', running(ready)),
  post(pdb(ns), budget('b', spec)),
  setBudget(ns, status),
];

export const evictions: readonly Scenario[] = [
  scenario('no budget', (ns) => [
    post(po(ns), pod('p', { nodeName: 'n1' })),
    setStatus(ns, 'p', running(true)),
    evict(ns, 'p'),
    get(po(ns, 'p')),
    evict(ns, 'p'),
    evict(ns, 'nobody'),
    post(`${po(ns, 'p')}/eviction`, eviction('other')),
  ]),
  scenario('a budget with something left counts, and one with nothing left refuses', (ns) => [
    ...guarded(ns, true, budgetStatus(1)),
    evict(ns, 'p'),
    get(pdb(ns, 'b')),
    get(po(ns, 'p')),
    post(po(ns), pod('q', { nodeName: 'n1' })),
    setStatus(ns, 'q', running(true)),
    evict(ns, 'q'),
  ]),
  scenario('a budget with two left', (ns) => [
    ...guarded(ns, true, budgetStatus(2)),
    evict(ns, 'p'),
    get(pdb(ns, 'b')),
  ]),
  scenario('a budget that was never looked at', (ns) => [
    post(po(ns), pod('p', { nodeName: 'n1' })),
    setStatus(ns, 'p', running(true)),
    post(pdb(ns), budget('b')),
    evict(ns, 'p'),
  ]),
  scenario('a budget that changed since', (ns) => [
    ...guarded(ns, true, budgetStatus(1)),
    patch(pdb(ns, 'b'), 'merge', { spec: { minAvailable: 2147483647 } }),
    evict(ns, 'p'),
  ]),
  scenario('the lock', (ns) => [
    ...guarded(ns, true, budgetStatus(0, { desiredHealthy: 2147483647 }), {
      minAvailable: 2147483647,
      selector: {
        matchLabels: { app: 'db' },
        matchExpressions: [{ key: 'drover.dev/guard', operator: 'NotIn', values: ['open'] }],
      },
    }),
    evict(ns, 'p'),
    evict(ns, 'p', { dryRun: ['All'] }),
    patch(po(ns, 'p'), 'merge', { metadata: { labels: { 'drover.dev/guard': 'open' } } }),
    evict(ns, 'p', { dryRun: ['All'] }),
    evict(ns, 'p', { preconditions: { uid: 'zzz' } }),
    evict(ns, 'p', { preconditions: { resourceVersion: '1' } }),
    evict(ns, 'p'),
    get(po(ns, 'p')),
  ]),
  scenario('a budget that could not be computed', (ns) => [
    ...guarded(
      ns,
      true,
      budgetStatus(0, {
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'no scale',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      }),
    ),
    evict(ns, 'p'),
  ]),
  scenario('more healthy than needed, and still nothing allowed', (ns) => [
    ...guarded(ns, true, budgetStatus(0, { currentHealthy: 5 })),
    evict(ns, 'p'),
    setBudget(
      ns,
      budgetStatus(0, {
        currentHealthy: 5,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'Because',
            message: 'so',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      }),
    ),
    evict(ns, 'p'),
  ]),
  scenario('not ready: within a healthy budget it goes', (ns) => [
    ...guarded(ns, false, budgetStatus(0)),
    evict(ns, 'p'),
    get(pdb(ns, 'b')),
  ]),
  scenario('not ready: within an unhealthy budget it stays', (ns) => [
    ...guarded(ns, false, budgetStatus(0, { currentHealthy: 1 })),
    evict(ns, 'p'),
  ]),
  scenario('not ready: with AlwaysAllow it goes', (ns) => [
    ...guarded(ns, false, budgetStatus(0, { currentHealthy: 1 }), { unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
    evict(ns, 'p'),
  ]),
  scenario('pending, failed and terminating pods pass', (ns) => [
    ...guarded(ns, true, budgetStatus(0)),
    setStatus(ns, 'p', { status: { phase: 'Pending' } }),
    evict(ns, 'p', { dryRun: ['All'] }),
    setStatus(ns, 'p', { status: { phase: 'Failed' } }),
    evict(ns, 'p', { dryRun: ['All'] }),
    setStatus(ns, 'p', { status: { phase: 'Running' } }),
    remove(po(ns, 'p')),
    evict(ns, 'p'),
    get(po(ns, 'p')),
  ]),
  scenario('two budgets', (ns) => [...guarded(ns, true, budgetStatus(1)), post(pdb(ns), budget('c')), evict(ns, 'p')]),
  scenario('selectors that select everything, or nothing', (ns) => [
    ...guarded(ns, true, budgetStatus(0), { selector: {} }),
    evict(ns, 'p'),
    patch(po(ns, 'p'), 'merge', { metadata: { labels: null } }),
    evict(ns, 'p', { dryRun: ['All'] }),
  ]),
  scenario('dry run by query and by body', (ns) => [
    ...guarded(ns, true, budgetStatus(1)),
    post(`${po(ns, 'p')}/eviction?dryRun=All`, eviction('p')),
    post(`${po(ns, 'p')}/eviction?dryRun=All`, eviction('p', {})),
    evict(ns, 'p', { dryRun: ['All'] }),
    get(pdb(ns, 'b')),
    get(po(ns, 'p')),
  ]),
  scenario('grace of an eviction', (ns) => [
    post(po(ns), pod('p', { nodeName: 'n1' })),
    setStatus(ns, 'p', running(true)),
    evict(ns, 'p', { gracePeriodSeconds: 0 }),
    get(po(ns, 'p')),
    post(po(ns), pod('q')),
    evict(ns, 'q'),
    get(po(ns, 'q')),
  ]),
  scenario('negative budgets and budgets that cannot be', (ns) => [
    post(pdb(ns), budget('x', { maxUnavailable: 1 })),
    post(pdb(ns), budget('x', { minAvailable: -1 })),
    post(pdb(ns), budget('x', { minAvailable: '120%' })),
    post(pdb(ns), budget('x', { minAvailable: 'abc' })),
    post(pdb(ns), budget('x', { unhealthyPodEvictionPolicy: 'Never' })),
    post(pdb(ns), budget('x', { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } })),
    post(pdb(ns), budget('y')),
    put(pdb(ns, 'y'), budget('y', { minAvailable: 2 })),
    put(
      pdb(ns, 'y'),
      earlier(6, (object) => ({ ...object, spec: { maxUnavailable: '50%' }, status: { disruptionsAllowed: 7 } })),
    ),
  ]),
];
