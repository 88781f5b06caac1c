import type { AdmissionRequest } from '../../kube/admission-review.ts';
import { cutText } from '../status/cut-text.ts';

/** An eviction, as far as it is answered by. */
export interface EvictionRequest {
  readonly namespace: string;
  readonly pod: string;
  /** The uid that the caller insists on; undefined: whatever pod has the name. */
  readonly uid: string | undefined;
  readonly by: string;
  /** Nothing may be written, and nobody waits for anything. */
  readonly dryRun: boolean;
}

/** How much of a user's name is kept. */
const longestName = 256;

/** Reads an eviction. `kubectl drain --dry-run=server` says so in the object alone. undefined: it is no eviction of a pod. */
export function evictionRequest({
  namespace,
  name,
  subResource,
  resource,
  userInfo,
  object,
  dryRun,
}: AdmissionRequest): EvictionRequest | undefined {
  if (namespace === undefined || resource.resource !== 'pods' || subResource !== 'eviction') return undefined;
  const pod = name ?? textAt(object, 'metadata', 'name');
  if (pod === undefined) return undefined;
  const dry = fieldAt(object, 'deleteOptions', 'dryRun');
  return {
    namespace,
    pod,
    uid: textAt(object, 'deleteOptions', 'preconditions', 'uid'),
    by: cutText(userInfo.username, longestName),
    dryRun: dryRun || (Array.isArray(dry) && dry.length > 0),
  };
}

function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Object.entries(found).find(([name]) => name === key)?.[1];
  }
  return found;
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldAt(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
