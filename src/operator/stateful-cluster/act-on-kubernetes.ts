import type { KubeClient } from '../../kube/client.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { Pod } from '../../kube/resources.ts';
import { pods } from '../../kube/resources.ts';
import type { Action, Precondition } from '../../model/decision.ts';
import type { ProcessGroupId, Uid } from '../../model/ids.ts';
import type { Turnkey } from '../lock/turnkey.ts';
import { claims, services } from '../resources.ts';
import type { Kept } from './as-made.ts';
import { asMade } from './as-made.ts';
import type { Cluster } from './cluster.ts';
import { claimFor } from './manifests/claim.ts';
import { podFor } from './manifests/pod.ts';
import { serviceFor } from './manifests/service.ts';
import { objectNames } from './marks.ts';
import type { Role } from './pod-template.ts';
import { isRefusal, isWantOfRoom } from './refused-objects.ts';

/** Where an action is carried out. */
export interface Place {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  /** The role of a process group, as the record has it. */
  readonly roleOf: (group: ProcessGroupId) => string | undefined;
  /** What of the process group outlives its pod. */
  readonly kept: (group: ProcessGroupId) => Kept;
  readonly lock: Turnkey;
  /** Whether it stays, so that a pod of it that is deleted is made again. */
  readonly isMadeAgain: (group: ProcessGroupId) => boolean;
  /** Keeps in mind that this pod was deleted, or may have been, to be made again. */
  readonly remember: (group: ProcessGroupId, pod: Uid, work: Promise<void>) => Promise<void>;
  /** Whether it has a service, also where the spec asks for none any more. */
  readonly hasService: (group: ProcessGroupId) => boolean;
}

/** Makes, deletes and evicts what an action asks for. Never anything but the very pod that the decision was made about. */
export async function actOnKubernetes(place: Place, action: Action, signal: AbortSignal): Promise<void> {
  switch (action.act) {
    case 'create':
      return create(place, action.what, action.group, signal);
    case 'delete-pod':
      return place.isMadeAgain(action.group)
        ? makeWay(place, action, signal)
        : deletePod(place, action.group, { uid: action.pod.uid }, signal);
    case 'delete-group':
      return deleteGroup(place, action, signal);
    case 'let-go':
    case 'close':
      return place.lock.turn(action, objectNames.pod(place.cluster.name, action.group), signal);
    default:
  }
}

async function create(
  place: Place,
  what: 'pod' | 'claim' | 'service',
  group: ProcessGroupId,
  signal: AbortSignal,
): Promise<void> {
  const { client, cluster } = place;
  const role = roleIn(place, group);
  if (role === undefined) return;
  const options = { signal, fieldManager: 'drover' };
  // Its address goes into the pod: the next look finds it.
  const waits = cluster.spec.publicIPSource === 'Service' && place.kept(group).publicIP === null;
  if (what === 'pod' && !waits) await client.create(pods, podOf(place, role, group), options);
  if (what === 'claim') await client.create(claims, claimFor(cluster, role, group), options);
  if (what === 'service') await client.create(services, serviceFor(cluster, role, group), options);
}

const roleIn = ({ cluster, roleOf }: Place, group: ProcessGroupId): Role | undefined =>
  cluster.spec.roles.find(({ name }) => name === roleOf(group));

function podOf({ cluster, kept }: Place, role: Role, group: ProcessGroupId): Pod {
  const made = asMade(cluster, role, kept(group));
  return podFor(made.cluster, made.role, group, kept(group).publicIP);
}

async function makeWay(
  place: Place,
  { group, pod: { uid } }: Extract<Action, { readonly act: 'delete-pod' }>,
  signal: AbortSignal,
): Promise<void> {
  await tryOut(place, group, signal);
  await place.remember(group, uid, deletePod(place, group, { uid }, signal));
}

/** Throws where the pod that is to take the place of the old one would be refused: then the old one is the better one. */
async function tryOut(place: Place, group: ProcessGroupId, signal: AbortSignal): Promise<void> {
  const role = roleIn(place, group);
  if (role === undefined) return;
  const pod = podOf(place, role, group);
  // The name of the old one is taken.
  const trial = { ...pod, metadata: { ...pod.metadata, name: `${pod.metadata.name}-trial` } };
  try {
    await place.client.create(pods, trial, { signal, fieldManager: 'drover', dryRun: true });
  } catch (error) {
    // The old one makes room for it.
    if (!isRefusal(error) || !isWantOfRoom(error)) throw error;
  }
}

async function deletePod(
  { client, cluster }: Place,
  group: ProcessGroupId,
  preconditions: Partial<Precondition>,
  signal: AbortSignal,
): Promise<void> {
  const key = { namespace: cluster.namespace, name: objectNames.pod(cluster.name, group) };
  await client.delete(pods, key, { signal, preconditions });
}

/** Whatever of it is still there. */
async function deleteGroup(
  place: Place,
  { group, pod, unchanged }: Extract<Action, { readonly act: 'delete-group' }>,
  signal: AbortSignal,
): Promise<void> {
  const { client, cluster } = place;
  const { namespace, name } = cluster;
  if (pod !== null) await unlessGone(deletePod(place, group, unchanged === true ? pod : { uid: pod.uid }, signal));
  await unlessGone(client.delete(claims, { namespace, name: objectNames.claim(name, group) }, { signal }));
  if (place.hasService(group))
    await unlessGone(client.delete(services, { namespace, name: objectNames.service(name, group) }, { signal }));
}

async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
