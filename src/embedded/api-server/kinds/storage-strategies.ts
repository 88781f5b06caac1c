import { type FieldError, forbiddenField, required } from '../field-error.ts';
import { clone, equal, isObject, type JsonObject, listAt, objectAt } from '../json.ts';
import type { Strategy } from '../resource-definition.ts';
import { ensureObject, setDefault } from './pod-spec-defaults.ts';
import { standard } from './standard-strategy.ts';

function addFinalizer(object: JsonObject, name: string): void {
  const metadata = ensureObject(object, 'metadata');
  const finalizers = listAt(metadata, 'finalizers');
  if (!finalizers.includes(name)) metadata['finalizers'] = [...finalizers, name];
}

export const claimProtection = 'kubernetes.io/pvc-protection';
export const volumeProtection = 'kubernetes.io/pv-protection';

export const claimStrategy: Strategy = {
  ...standard,
  returnsDeleted: true,
  setDefaults(claim) {
    setDefault(ensureObject(claim, 'spec'), 'volumeMode', 'Filesystem');
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
    // The StorageObjectInUseProtection admission plugin.
    addFinalizer(claim, claimProtection);
  },
  validate: (claim) => [...validateClaim(claim)],
  validateUpdate: (next, old) => [...validateClaimUpdate(next, old)],
};

function* validateClaim(claim: JsonObject): Generator<FieldError> {
  const spec = objectAt(claim, 'spec');
  if (listAt(spec, 'accessModes').length === 0)
    yield required('spec.accessModes', 'at least 1 access mode is required');
  if (objectAt(spec, 'resources', 'requests')['storage'] === undefined) yield required('spec.resources[storage]');
}

const claimIsFixed =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function* validateClaimUpdate(next: JsonObject, old: JsonObject): Generator<FieldError> {
  yield* validateClaim(next);
  const before = clone(objectAt(old, 'spec'));
  const after = clone(objectAt(next, 'spec'));
  if (objectAt(old, 'status')['phase'] === 'Bound') {
    for (const spec of [before, after]) {
      delete objectAt(spec, 'resources')['requests'];
      delete spec['volumeAttributesClassName'];
    }
  }
  // Binding is a change that is always allowed, once.
  if (before['volumeName'] === undefined) delete after['volumeName'];
  if (!equal(before, after)) yield forbiddenField('spec', claimIsFixed);
}

export const volumeStrategy: Strategy = {
  ...standard,
  returnsDeleted: true,
  setDefaults(volume) {
    const spec = ensureObject(volume, 'spec');
    setDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    setDefault(spec, 'volumeMode', 'Filesystem');
    const host = spec['hostPath'];
    if (isObject(host)) setDefault(host, 'type', '');
  },
  prepareCreate(volume, { now }) {
    volume['status'] = { phase: 'Pending', lastPhaseTransitionTime: now };
    addFinalizer(volume, volumeProtection);
  },
};

export const storageClassStrategy: Strategy = {
  ...standard,
  returnsDeleted: true,
  setDefaults(storageClass) {
    setDefault(storageClass, 'reclaimPolicy', 'Delete');
    setDefault(storageClass, 'volumeBindingMode', 'Immediate');
  },
};

export const attachmentStrategy: Strategy = {
  ...standard,
  returnsDeleted: true,
  prepareCreate(attachment) {
    attachment['status'] = { attached: false };
  },
};
