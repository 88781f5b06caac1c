import { createHash } from 'node:crypto';
import type { Cluster } from './cluster.ts';
import type { Role } from './pod-template.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * The form in which Drover makes pods, and claims. Raise one only where the pods that stand must be made again because Drover itself changed:
 * every pod (or, for a claim, every process group) of every cluster is then replaced or recreated, under all the usual limits.
 */
const layout = { pod: 1, claim: 1 } as const;

/**
 * The hash of what people asked of a role's pods. It is taken over their words and the layout's number, never over the pod that Drover makes
 * of them: else a new version of Drover, a new connection string or another process group id would recreate pods that are as asked.
 * `spec.buggify` and the claim's content are not in it: the first is compared by `faultsOf`, the second by the claim's own hash.
 */
export function podSpecHash({ spec }: Cluster, role: Role): string {
  return hashOf({
    layout: layout.pod,
    template: role.template,
    processesPerPod: role.processesPerPod,
    publicIPSource: spec.publicIPSource,
    faultDomain: spec.faultDomain.key,
    connectionString: spec.engine.foundationdb?.connectionString,
    hasClaim: role.volumeClaimTemplate !== undefined,
  });
}

/** The hash of what people asked of a role's claims; empty where the role has none. */
export function claimSpecHash({ volumeClaimTemplate }: Role): string {
  return volumeClaimTemplate === undefined ? '' : hashOf({ layout: layout.claim, spec: volumeClaimTemplate });
}

/** The SHA-256 of a JSON value. The order of keys does not count, nor does a member that is null. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(canonical(withoutNulls(value)))
    .digest('hex');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
