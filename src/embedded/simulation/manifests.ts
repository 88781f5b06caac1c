import type { KubeObject } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources.ts';
import { namespace } from './observe.ts';

/** A pod of the simulated database: its disk is tied to its node, and no two of a role share a node. */
export function podFor(group: string, role: string): Pod {
  const labels = { 'drover.dev/process-group': group, 'drover.dev/role': role };
  const apart = { labelSelector: { matchLabels: { 'drover.dev/role': role } }, topologyKey: 'kubernetes.io/hostname' };
  return {
    metadata: { namespace, name: group, labels },
    spec: {
      containers: [{ name: 'database', image: 'store:1' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: group } }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } },
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
      })),
      terminationGracePeriodSeconds: 10,
    },
  };
}

export function claimFor(group: string): KubeObject & { readonly spec: object } {
  return {
    metadata: { namespace, name: group },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '10Gi' } } },
  };
}
