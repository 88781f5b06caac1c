import { evictionGuard } from '../../api/kinds.ts';
import { parseObject } from '../../api/parse.ts';
import type { EvictionGuardSpec, EvictionGuardStatus } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import { isLocked } from '../lock/is-locked.ts';
import type { LockedRole, LockOwner } from '../lock/lock-owner.ts';

/** An EvictionGuard as it was read, with every default in its place. */
export interface Guard {
  readonly key: KeyText;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** The version that a status is written onto. */
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  readonly spec: EvictionGuardSpec;
  readonly status: EvictionGuardStatus;
}

/** An EvictionGuard as the API server gave it, with every default in its place. Throws `InvalidObjectError`. */
export function readGuard(object: KubeObject): Guard {
  const { spec, status } = parseObject(evictionGuard, object);
  const { namespace = '', name, uid = '', generation = 0, resourceVersion = '', finalizers = [] } = object.metadata;
  const key = keyText({ namespace, name });
  return { key, namespace, name, uid, generation, resourceVersion, finalizers, spec, status };
}

export const lockOwnerOf = ({ namespace, name, uid }: Pick<Guard, 'namespace' | 'name' | 'uid'>): LockOwner => ({
  kind: 'EvictionGuard',
  namespace,
  name,
  uid,
});

/** The roles of a guard that are locked, with the selectors that people wrote. */
export const lockedRoles = ({ spec }: Pick<Guard, 'spec'>): readonly LockedRole[] =>
  spec.roles
    .filter(({ name }) => isLocked(spec.engine.type, name))
    .map(({ name: role, selector }) => ({ role, selector }));
