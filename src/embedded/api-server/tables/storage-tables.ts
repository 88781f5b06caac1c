import { at, type JsonObject, listAt, printed, textAt } from '../json.ts';
import { ageColumn, layout, nameColumn } from './layout.ts';

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const modes = (object: JsonObject, part: 'spec' | 'status') =>
  listAt(object, part, 'accessModes')
    .map((mode) => shortModes[printed(mode)] ?? printed(mode))
    .join(',');

const isDeleting = (object: JsonObject) => at(object, 'metadata', 'deletionTimestamp') !== undefined;
const phase = (object: JsonObject) => (isDeleting(object) ? 'Terminating' : textAt(object, 'status', 'phase'));
const unset = '<unset>';

export const claimTable = layout(
  nameColumn,
  ['Status', phase],
  ['Volume', (claim) => textAt(claim, 'spec', 'volumeName')],
  // What a claim has, once it has something.
  [
    'Capacity',
    (claim) => (textAt(claim, 'spec', 'volumeName') === '' ? '' : textAt(claim, 'status', 'capacity', 'storage')),
  ],
  ['Access Modes', (claim) => (textAt(claim, 'spec', 'volumeName') === '' ? '' : modes(claim, 'status'))],
  ['StorageClass', (claim) => textAt(claim, 'spec', 'storageClassName')],
  ['VolumeAttributesClass', (claim) => textAt(claim, 'spec', 'volumeAttributesClassName') || unset],
  ageColumn,
  ['*VolumeMode', (claim) => textAt(claim, 'spec', 'volumeMode') || unset],
);

function claimOf(volume: JsonObject): string {
  const name = textAt(volume, 'spec', 'claimRef', 'name');
  return name === '' ? '' : `${textAt(volume, 'spec', 'claimRef', 'namespace')}/${name}`;
}

export const volumeTable = layout(
  nameColumn,
  ['Capacity', (volume) => textAt(volume, 'spec', 'capacity', 'storage')],
  ['Access Modes', (volume) => modes(volume, 'spec')],
  ['Reclaim Policy', (volume) => textAt(volume, 'spec', 'persistentVolumeReclaimPolicy')],
  ['Status', phase],
  ['Claim', claimOf],
  ['StorageClass', (volume) => textAt(volume, 'spec', 'storageClassName')],
  ['VolumeAttributesClass', (volume) => textAt(volume, 'spec', 'volumeAttributesClassName') || unset],
  ['Reason', (volume) => textAt(volume, 'status', 'reason')],
  ageColumn,
  ['*VolumeMode', (volume) => textAt(volume, 'spec', 'volumeMode') || unset],
);

const isDefault = 'storageclass.kubernetes.io/is-default-class';

export const storageClassTable = layout(
  [
    'Name',
    (each) =>
      `${textAt(each, 'metadata', 'name')}${textAt(each, 'metadata', 'annotations', isDefault) === 'true' ? ' (default)' : ''}`,
  ],
  ['Provisioner', (each) => textAt(each, 'provisioner')],
  ['ReclaimPolicy', (each) => textAt(each, 'reclaimPolicy')],
  ['VolumeBindingMode', (each) => textAt(each, 'volumeBindingMode')],
  ['AllowVolumeExpansion', (each) => at(each, 'allowVolumeExpansion') === true],
  ageColumn,
);

export const attachmentTable = layout(
  nameColumn,
  ['Attacher', (each) => textAt(each, 'spec', 'attacher')],
  ['PV', (each) => textAt(each, 'spec', 'source', 'persistentVolumeName')],
  ['Node', (each) => textAt(each, 'spec', 'nodeName')],
  ['Attached', (each) => at(each, 'status', 'attached') === true],
  ageColumn,
);
