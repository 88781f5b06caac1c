import { nodeDrain } from './api-server-parity.objects.ts';
import {
  apps,
  core,
  drains,
  earlier,
  get,
  patch,
  post,
  put,
  remove,
  type Scenario,
  scenario,
  template,
} from './api-server-parity.steps.ts';

export const kinds: readonly Scenario[] = [
  scenario('nodes', (ns) => [
    post('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `a-${ns}` },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    patch(`/api/v1/nodes/a-${ns}`, 'merge', { spec: { unschedulable: true }, status: { phase: 'x' } }),
    patch(`/api/v1/nodes/a-${ns}`, 'merge', { spec: { unschedulable: false } }),
    patch(`/api/v1/nodes/a-${ns}`, 'merge', { spec: { taints: [{ key: 'a', value: 'b', effect: 'Nope' }] } }),
    patch(`/api/v1/nodes/a-${ns}`, 'merge', { spec: { taints: [{ key: 'a b', effect: 'NoExecute' }] } }),
    patch(`/api/v1/nodes/a-${ns}`, 'merge', {
      spec: { taints: [{ key: 'a', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] },
    }),
    patch(`/api/v1/nodes/a-${ns}/status`, 'merge', {
      metadata: { labels: { x: 'y' } },
      spec: { unschedulable: true },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    }),
    remove(`/api/v1/nodes/a-${ns}`),
  ]),
  scenario('services', (ns) => [
    post(core(ns, 'services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
    }),
    post(core(ns, 'services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'h' },
      spec: { clusterIP: 'None', ports: [{ port: 80, name: 'x', targetPort: 'foo' }] },
    }),
    post(core(ns, 'services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: '1s' },
      spec: { ports: [{ port: 80 }] },
    }),
    post(core(ns, 'services'), { apiVersion: 'v1', kind: 'Service', metadata: { name: 'e' }, spec: {} }),
    patch(core(ns, 'services', 's'), 'strategic', { spec: { ports: [{ port: 81, name: 'b' }] } }),
    patch(core(ns, 'services', 's'), 'merge', { spec: { selector: { c: 'd' } } }),
    remove(core(ns, 'services', 's')),
  ]),
  scenario('stateful sets and their scale', (ns) => [
    post(apps(ns, 'statefulsets'), {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 's' },
      spec: {
        serviceName: 'h',
        selector: { matchLabels: { a: 'b' } },
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
          },
        ],
      },
    }),
    get(`${apps(ns, 'statefulsets', 's')}/scale`),
    patch(`${apps(ns, 'statefulsets', 's')}/scale`, 'merge', { spec: { replicas: 3 } }),
    put(`${apps(ns, 'statefulsets', 's')}/scale`, {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 's', namespace: ns },
      spec: { replicas: 0 },
    }),
    get(apps(ns, 'statefulsets', 's')),
    patch(apps(ns, 'statefulsets', 's'), 'merge', { spec: { serviceName: 'x' } }),
    patch(`${apps(ns, 'statefulsets', 's')}/status`, 'merge', { status: { replicas: 2, readyReplicas: 1 } }),
    post(apps(ns, 'statefulsets'), {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 't' },
      spec: { serviceName: 'h', selector: { matchLabels: { a: 'c' } }, template },
    }),
    remove(apps(ns, 'statefulsets', 's')),
  ]),
  scenario('other workloads', (ns) => [
    ...['replicasets', 'deployments', 'daemonsets'].map((plural) =>
      post(apps(ns, plural), { metadata: { name: 's' }, spec: { selector: { matchLabels: { a: 'b' } }, template } }),
    ),
    post(`/apis/batch/v1/namespaces/${ns}/jobs`, {
      metadata: { name: 'j' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    }),
    post(`/apis/batch/v1/namespaces/${ns}/cronjobs`, {
      metadata: { name: 'j' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
        },
      },
    }),
  ]),
  scenario('claims and volumes', (ns) => [
    post(core(ns, 'persistentvolumeclaims'), {
      metadata: { name: 'd' },
      spec: { storageClassName: 'x', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
    }),
    patch(core(ns, 'persistentvolumeclaims', 'd'), 'merge', { spec: { storageClassName: 'y' } }),
    patch(core(ns, 'persistentvolumeclaims', 'd'), 'merge', { spec: { volumeName: 'v1' } }),
    patch(`${core(ns, 'persistentvolumeclaims', 'd')}/status`, 'merge', {
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    }),
    patch(core(ns, 'persistentvolumeclaims', 'd'), 'merge', { spec: { resources: { requests: { storage: '2Gi' } } } }),
    remove(core(ns, 'persistentvolumeclaims', 'd')),
    patch(core(ns, 'persistentvolumeclaims', 'd'), 'merge', { metadata: { finalizers: null } }),
    get(core(ns, 'persistentvolumeclaims', 'd')),
    post(core(ns, 'persistentvolumeclaims'), { metadata: { name: 'e' }, spec: { storageClassName: 'x' } }),
    post('/api/v1/persistentvolumes', {
      metadata: { name: `v-${ns}` },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    }),
    remove(`/api/v1/persistentvolumes/v-${ns}`),
  ]),
  scenario('leases', (ns) => [
    post(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`, {
      metadata: { name: 'l' },
      spec: { holderIdentity: '', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
    }),
    put(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/l`, {
      metadata: { name: 'l' },
      spec: { holderIdentity: 'x' },
    }),
    put(
      `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/l`,
      earlier(0, (object) => ({ ...object, spec: { holderIdentity: 'me', leaseTransitions: 0 } })),
    ),
    put(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/m`, { metadata: { name: 'm' }, spec: {} }),
    post(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`, {
      metadata: { name: 'n' },
      spec: { leaseDurationSeconds: 0 },
    }),
  ]),
  scenario('secrets, service accounts, quotas', (ns) => [
    post(core(ns, 'secrets'), { metadata: { name: 's' }, stringData: { a: 'b' } }),
    patch(core(ns, 'secrets', 's'), 'merge', { type: 'x' }),
    post(core(ns, 'serviceaccounts'), { metadata: { name: 's' } }),
    remove(core(ns, 'serviceaccounts', 's')),
    post(core(ns, 'resourcequotas'), {
      metadata: { name: 'q' },
      spec: { hard: { pods: '2', 'requests.cpu': '1000m', 'requests.storage': '2048Mi' } },
    }),
    remove(core(ns, 'resourcequotas', 'q')),
  ]),
  scenario('events of both groups', (ns) => [
    post(core(ns, 'events'), {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: ns },
      reason: 'R',
      message: 'M',
      type: 'Normal',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'c' },
    }),
    get(`/apis/events.k8s.io/v1/namespaces/${ns}/events/e`),
    post(`/apis/events.k8s.io/v1/namespaces/${ns}/events`, {
      metadata: { name: 'f' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding: { kind: 'Pod', name: 'p', namespace: ns },
      reason: 'R',
      note: 'M',
      type: 'Normal',
      action: 'A',
      reportingController: 'drover.dev/x',
      reportingInstance: 'i',
    }),
    get(core(ns, 'events', 'f')),
    get(`${core(ns, 'events')}?fieldSelector=involvedObject.name%3Dp`),
    patch(`/apis/events.k8s.io/v1/namespaces/${ns}/events/f`, 'merge', {
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
    }),
  ]),
];

export const customKinds: readonly Scenario[] = [
  scenario('defaults, pruning and refusals of our kinds', (ns) => [
    post(drains(), { ...nodeDrain(ns), status: { phase: 'Completed' } }),
    post(drains(), nodeDrain('x', {})),
    post(drains(), nodeDrain('x', { nodes: ['A_B'] })),
    post(drains(), nodeDrain('x', { nodes: 'x', foo: 1 })),
    post(drains(), nodeDrain('x', { nodes: ['x', 'x'], deadline: 5 })),
    post(drains(), { apiVersion: 'drover.dev/v1alpha1', kind: 'NodeDrain', metadata: { name: 'x' } }),
    post(drains(), { metadata: { name: 'x' }, spec: { nodes: ['x'] } }),
    post(drains(), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { nodes: ['x'] } }),
    post(drains(), { apiVersion: 'drover.dev/v1alpha1', kind: 'Foo', metadata: { name: 'x' }, spec: { nodes: ['x'] } }),
    post(drains(), nodeDrain('A_')),
    post(`${drains()}?fieldValidation=Strict`, nodeDrain('x', { nodes: ['n'], foo: 1 })),
    post(`${drains()}?fieldValidation=Warn&dryRun=All`, nodeDrain('x', { nodes: ['n'], foo: 1 })),
    post(drains(), nodeDrain('x', { nodes: ['n'], maxConcurrentNodes: 0 })),
    post(drains(), nodeDrain('x', { nodes: ['n'], afterwards: 'Explode' })),
    remove(drains(ns)),
  ]),
  scenario('updates of our kinds, and their status', (ns) => [
    post(drains(), nodeDrain(ns)),
    put(drains(ns), nodeDrain(ns)),
    put(
      drains(ns),
      earlier(0, (object) => ({ ...object, spec: { nodes: ['n1'], maxConcurrentNodes: 2 } })),
    ),
    patch(drains(ns), 'merge', { spec: { nodes: ['other'] } }),
    patch(drains(ns), 'strategic', { spec: {} }),
    patch(drains(ns), 'merge', { spec: { nodes: 5 } }),
    patch(drains(ns), 'merge', { metadata: { labels: { a: 'b' } }, status: { phase: 'Draining' } }),
    patch(`${drains(ns)}/status`, 'merge', {
      metadata: { labels: { c: 'd' } },
      spec: { nodes: ['z'] },
      status: { phase: 'Draining' },
    }),
    patch(`${drains(ns)}/status`, 'merge', { status: { phase: 'Nope' } }),
    put(
      `${drains(ns)}/status`,
      earlier(7, (object) => ({ ...object, status: { phase: 'Completed' } })),
    ),
    patch(`${drains(ns)}?fieldManager=x`, 'apply', nodeDrain(ns, { nodes: ['n1'], maxConcurrentNodes: 3 })),
    patch(`${drains(ns)}?fieldManager=x&force=true`, 'apply', nodeDrain(ns, { nodes: ['n1'], maxConcurrentNodes: 3 })),
    get(`${drains()}?fieldSelector=metadata.name%3D${ns}`),
    remove(drains(ns)),
  ]),
];
