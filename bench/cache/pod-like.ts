import type { KubeObject } from '../../src/kube/object.ts';

/** A pod of the size that real ones have: about 3 KB as created, more with what the API server adds. */
export function podLike(index: number): KubeObject {
  const app = `app-${index % 200}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'default',
      name: `${app}-${index}`,
      labels: {
        app,
        tier: `tier-${index % 5}`,
        'app.kubernetes.io/version': '1.2.3',
        'pod-template-hash': `${index % 400}`,
      },
      annotations: { 'example.com/config-hash': `${index}`.padStart(64, '0'), 'prometheus.io/scrape': 'true' },
    },
    spec: {
      nodeName: `node-${index % 1000}`,
      automountServiceAccountToken: false,
      containers: ['main', 'sidecar'].map((name) => ({
        name,
        image: `registry.example.com/team/${app}/${name}:1.2.3`,
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        env: Array.from({ length: 12 }, (_, n) => ({ name: `SETTING_${n}`, value: `value-${index}-${n}` })),
        ports: [{ containerPort: 8080, name: `http-${name}`.slice(0, 15) }],
        readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
      })),
    },
  } as KubeObject;
}
