import type { KubeObject } from '../../../kube/object.ts';
import { at, textAt } from '../../api-server/json.ts';
import { type ClaimView, type StorageClassView, selectedNode } from './disk-view.ts';

/** Who makes disks here, and on the real test control plane. */
export const diskProvisioner = 'fake.drover.dev/disk';

/** The class whose disks stay on the node of their first pod. */
const localClass = 'local';

export const diskName = (claim: ClaimView): string => `pvc-${claim.uid}`;

/** The disk for a claim, as `tools/control-plane/stages/disk.yaml` makes it. */
export function buildDisk(claim: ClaimView, storageClass: StorageClassView): KubeObject {
  const { namespace, name, uid } = claim;
  const path = `/var/lib/disks/${uid}`;
  const spec = {
    accessModes: at(claim.object, 'spec', 'accessModes'),
    capacity: { storage: at(claim.object, 'spec', 'resources', 'requests', 'storage') },
    persistentVolumeReclaimPolicy: storageClass.reclaim,
    storageClassName: claim.storageClass,
    volumeMode: textAt(claim.object, 'spec', 'volumeMode') || 'Filesystem',
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
    ...(claim.storageClass === localClass
      ? { local: { path }, nodeAffinity: onNode(claim.annotations[selectedNode] ?? '') }
      : { nfs: { server: '127.0.0.1', path } }),
  };
  const metadata = {
    name: diskName(claim),
    annotations: { 'pv.kubernetes.io/provisioned-by': diskProvisioner },
  };
  const object: KubeObject & { readonly spec: object } = { metadata, spec };
  return object;
}

function onNode(node: string): object {
  const here = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] };
  return { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } };
}
