import type { KubeObject } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources.ts';
import type { ClusterSpec, RoleSpec } from '../../model/cluster-spec.ts';

/** Where a pod, and a claim, remember what they were made from. */
export const specHashAnnotation = 'drover.dev/spec-hash';
export const roleLabel = 'drover.dev/role';

/** The role that a process group id tells: `dbserver-7`. */
export const roleOfGroup = ({ roles }: ClusterSpec, group: string): RoleSpec | undefined =>
  roles.find(({ name }) => group.startsWith(`${name}-`));

/** A pod of a database in memory: its disk is tied to its node, and no two of a role share a node. */
export function podFor(namespace: string, group: string, { name: role, shape }: RoleSpec): Pod {
  const labels = { 'drover.dev/process-group': group, [roleLabel]: role };
  const apart = { labelSelector: { matchLabels: { [roleLabel]: role } }, topologyKey: 'kubernetes.io/hostname' };
  const hasClaim = shape?.claimSpecHash !== '';
  return {
    metadata: { namespace, name: group, labels, annotations: { [specHashAnnotation]: shape?.specHash ?? '' } },
    spec: {
      containers: [{ name: 'database', image: 'database:1' }],
      ...(hasClaim && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: group } }] }),
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

export function claimFor(
  namespace: string,
  group: string,
  { shape }: RoleSpec,
): KubeObject & { readonly spec: object } {
  return {
    metadata: { namespace, name: group, annotations: { [specHashAnnotation]: shape?.claimSpecHash ?? '' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '10Gi' } } },
  };
}
