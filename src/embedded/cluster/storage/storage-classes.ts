import type { KubeObject } from '../../../kube/object.ts';
import { diskProvisioner } from './build-disk.ts';

/** Claims without a class get "network", a disk that any node can mount; "local" ties the disk to the node of its first pod. */
export const usualStorageClasses: readonly KubeObject[] = [
  storageClass('network', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
  storageClass('local', {}),
];

function storageClass(name: string, annotations: Readonly<Record<string, string>>): KubeObject {
  const object: KubeObject & { readonly provisioner: string; readonly volumeBindingMode: string } = {
    metadata: { name, annotations },
    provisioner: diskProvisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  return object;
}
