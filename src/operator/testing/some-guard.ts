import { evictionGuard } from '../../api/kinds.ts';
import type { EvictionGuardSpecInput } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { Pod } from '../../kube/resources.ts';
import type { Guard } from '../eviction-guard/guard.ts';
import type { NamespaceSeen } from '../eviction-guard/pods-on-demand.ts';
import { guardedPodView } from '../eviction-guard/seen-pod.ts';

/** An EvictionGuard `db/ledger` of an http system with one role, as the API server would give it back. */
export function someGuard(spec: Partial<EvictionGuardSpecInput> = {}, status: object = {}): Guard {
  const engine = { type: 'http', http: { url: 'http://ledger.db' } } as const;
  const roles = [{ name: 'shard', selector: { matchLabels: { app: 'ledger' } } }];
  return {
    key: 'db/ledger',
    namespace: 'db',
    name: 'ledger',
    uid: '0b1f7c8e-7d0e-4f4b-9a86-1d5b0c6b8a12',
    generation: 1,
    resourceVersion: '1',
    finalizers: [],
    spec: evictionGuard.spec.parse({ engine, roles, ...spec }),
    status: evictionGuard.status.parse(status),
  };
}

/** A namespace with these pods in it, and no claims. */
export const seenPods = (...pods: readonly Pod[]): NamespaceSeen => ({
  pods: pods.map(guardedPodView),
  claim: () => undefined,
});

/** A pod that runs. */
export const somePod = (
  name: string,
  given: { readonly labels?: Pod['metadata']['labels']; readonly claims?: readonly string[] } = {},
): Pod => ({
  metadata: {
    namespace: 'db',
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    labels: given.labels ?? { app: 'ledger' },
  },
  spec: {
    nodeName: `node-of-${name}`,
    containers: [],
    volumes: (given.claims ?? []).map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  },
  status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'ContainersReady', status: 'True' }] },
});
