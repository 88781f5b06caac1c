import type { Step } from './api-server-parity.harness.ts';
import { budget, configMap, nodeDrain, pod } from './api-server-parity.objects.ts';
import {
  apps,
  cm,
  core,
  drains,
  patch,
  pdb,
  po,
  post,
  remove,
  type Scenario,
  scenario,
  template,
} from './api-server-parity.steps.ts';

export const tables: readonly Scenario[] = [
  scenario('tables', (ns) => [
    post(po(ns), pod('p', { nodeName: 'n1' })),
    patch(`${po(ns, 'p')}/status`, 'merge', {
      status: {
        phase: 'Running',
        podIP: '10.0.0.9',
        podIPs: [{ ip: '10.0.0.9' }],
        containerStatuses: [
          { name: 'c', ready: true, restartCount: 2, image: 'i', imageID: '', state: { running: {} } },
        ],
      },
    }),
    post(po(ns), pod('q')),
    post(pdb(ns), budget('b')),
    post(core(ns, 'services'), {
      metadata: { name: 's' },
      spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: { a: 'b' } },
    }),
    post(core(ns, 'persistentvolumeclaims'), {
      metadata: { name: 'd' },
      spec: { storageClassName: 'x', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    post(apps(ns, 'statefulsets'), {
      metadata: { name: 's' },
      spec: { serviceName: 'h', selector: { matchLabels: { a: 'b' } }, template },
    }),
    post(apps(ns, 'replicasets'), {
      metadata: { name: 's' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    }),
    post(apps(ns, 'daemonsets'), {
      metadata: { name: 's' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    }),
    post(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`, {
      metadata: { name: 'l' },
      spec: { holderIdentity: 'me' },
    }),
    post(core(ns, 'secrets'), { metadata: { name: 's' }, stringData: { a: 'b' } }),
    post(core(ns, 'events'), {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: ns },
      reason: 'R',
      message: 'M',
      type: 'Normal',
      count: 3,
      source: { component: 'c' },
    }),
    post(cm(ns), configMap('a')),
    post(drains(), nodeDrain(ns)),
    ...[
      'pods',
      'services',
      'persistentvolumeclaims',
      'secrets',
      'events',
      'configmaps',
      'serviceaccounts',
      'resourcequotas',
    ].map((plural) => table(core(ns, plural))),
    ...['statefulsets', 'replicasets', 'daemonsets'].map((plural) => table(apps(ns, plural))),
    table(pdb(ns)),
    table(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`),
    table(`/api/v1/namespaces?fieldSelector=metadata.name%3D${ns}`),
    table(`${drains()}?fieldSelector=metadata.name%3D${ns}`),
    table(drains(ns)),
    remove(drains(ns)),
  ]),
];

function table(path: string): Step {
  return {
    method: 'GET',
    path: `${path}${path.includes('?') ? '&' : '?'}includeObject=None`,
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  };
}
