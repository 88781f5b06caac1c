import type { KubeClient } from '../../kube/client.ts';
import { isNotFound } from '../../kube/errors.ts';
import { pods } from '../../kube/resources.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Action } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { claims } from '../cluster/resources.ts';
import { claimFor, podFor, roleOfGroup } from './manifests.ts';

export interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly spec: ClusterSpec;
}

/** Makes, deletes and evicts what an action asks for. Never anything but the very pod that the decision was made about. */
export async function actOnKubernetes(place: Place, action: Action, signal: AbortSignal): Promise<void> {
  const { client, namespace } = place;
  switch (action.act) {
    case 'create':
      return create(place, action.what, action.group, signal);
    case 'delete-pod': {
      const { uid } = action.pod;
      return client.delete(pods, { namespace, name: action.group }, { signal, preconditions: { uid } });
    }
    case 'delete-group':
      if (action.pod !== null) {
        const preconditions = action.unchanged === true ? action.pod : { uid: action.pod.uid };
        await client.delete(pods, { namespace, name: action.group }, { signal, preconditions }).catch(ignoreNotFound);
      }
      return client.delete(claims, { namespace, name: action.group }, { signal });
    case 'let-go': {
      const { uid } = action.pod;
      return client.evict({ namespace, name: action.group }, { signal, preconditions: { uid } });
    }
    default:
  }
}

async function create(
  { client, namespace, spec }: Place,
  what: 'pod' | 'claim' | 'service',
  group: ProcessGroupId,
  signal: AbortSignal,
): Promise<void> {
  const role = roleOfGroup(spec, group);
  if (role === undefined) return;
  if (what === 'pod') await client.create(pods, podFor(namespace, group, role), { signal });
  if (what === 'claim') await client.create(claims, claimFor(namespace, group, role), { signal });
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
